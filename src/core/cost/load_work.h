// Work on stored values alone, which is done once, when the model is loaded.
#pragma once

#include "cost/weights.h"

namespace strata {

// Facts about the tensors of a graph before it runs.
struct ConstantTensors {
  Constants constants;
  Constants of_sizes;      // constants that follow from the sizes of the inputs
  Constants made_by_work;  // constants that arithmetic makes; empty if nobody asks
};

// To be called for a node whose results are constants, before they are marked as such.
void mark_of_sizes(ConstantTensors& known, const Node& node);

// Returns the tensors of a body that are captured from the graph around it; nullptr: none.
Constants captured_of(const Graph& graph, const Constants* outer);

// True if a node on constants computes something. Short lists of numbers that are known from the
// file do not count, nor what follows from the sizes of the inputs, nor the form in which a weight
// is stored (Transpose, DequantizeLinear). `cost` is what the node would cost if it ran.
bool is_load_work(const Graph& graph, const ConstantTensors& known, const Node& node,
                  const OpRule* rule, const NodeCost& cost);

// True if the node moves or computes tensors that are made by work. Tensors known by value are not.
bool is_made_of(const Constants& made_by_work, const Graph& graph, const Node& node);

}  // namespace strata
