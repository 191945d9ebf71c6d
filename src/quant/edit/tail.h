// The end of a network as a network of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

// A place where a network can be cut: before a node, in running order. Constants are on
// both sides.
struct TailCut {
  NodeId node = 0;                   // the first of the tail
  std::vector<TensorId> crossing;    // made before, or given by the caller, and read after
  std::vector<std::string> inputs;   // their names
  std::vector<std::string> outputs;  // outputs of the network that the tail makes
};
TailCut tail_cut(const Model& model, NodeId node);

// The network that computes these outputs from these tensors. Tensors are given by name, so that
// the model may be an edited one. The result consists of views into `model`, which must outlive it.
Result<Model> tail_of(const Model& model, std::span<const std::string> inputs,
                      std::span<const std::string> outputs);

}  // namespace strata
