// Which operators PyTorch runs without allocating memory for a new tensor, and what that does to
// the order of elements in memory.
#pragma once

#include "strata/graph/graph.h"

namespace strata {

struct TorchView {
  bool shares = false;  // its outputs share the memory of its first input
  bool ordered = true;  // the outputs' elements are contiguous
};

// `input_ordered` says whether the first input is contiguous. A Reshape of one that is not makes a
// copy.
TorchView torch_view(const Graph& graph, const Node& node, bool input_ordered);

// Whether a tensor's elements are contiguous, judged by the operators that made it.
bool is_contiguous(const Graph& graph, TensorId tensor);

}  // namespace strata
