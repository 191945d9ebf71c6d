// Which operators PyTorch runs without making a new tensor's memory.
#pragma once

#include "strata/cost/cost.h"

namespace strata {

struct TorchView {
  bool shares = false;  // its outputs are the memory of its first input
  bool ordered = true;  // the outputs' elements lie in order, without gaps
};

// `input_ordered`: that holds for the first input. A Reshape of one that is not in
// order makes a copy.
TorchView torch_view(const Graph& graph, const Node& node, const NodeCost& cost,
                     bool input_ordered);

}  // namespace strata
