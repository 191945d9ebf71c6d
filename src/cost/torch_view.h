// Which operators PyTorch runs without allocating memory for a new tensor.
#pragma once

#include "strata/cost/cost.h"

namespace strata {

struct TorchView {
  bool shares = false;  // its outputs share the memory of its first input
  bool ordered = true;  // the outputs' elements are contiguous
};

// `input_ordered` says whether the first input is contiguous. A Reshape of one that is not makes a
// copy.
TorchView torch_view(const Graph& graph, const Node& node, const NodeCost& cost,
                     bool input_ordered);

}  // namespace strata
