// The operators that PyTorch runs without allocating memory for a new tensor, and their effect on
// the order of elements in memory.
#pragma once

#include <vector>

#include "strata/graph/graph.h"

namespace strata {

struct TorchView {
  bool shares = false;  // its outputs share the memory of its first input
  bool ordered = true;  // the outputs' elements are contiguous
};

// `input_ordered` says whether the first input is contiguous. A Reshape of one that is not makes a
// copy.
TorchView torch_view(const Graph& graph, const Node& node, bool input_ordered);

// Says how a node treats tensors whose elements may be out of order, as those of an einsum may be:
// its outputs may be out of order, too, or it may have to copy them.
struct OrderUnknown {
  bool outputs = false, may_copy = false;
};
OrderUnknown order_unknown(const Graph& graph, const Node& node, const std::vector<bool>& unknown);

// True if the result has the strides of the first input. torch gives it a copy of all the memory
// that the first input is a view of, even if the view is a small part: `x[:, :2] = y` in a
// decomposed program.
bool copies_whole_memory(const Node& node);

// True for operators whose result keeps memory as large as their first input: losses that torch
// computes for every element and adds up in the same memory, and a fold.
bool sums_in_place(const Node& node);

// True for the operator through which a tensor that a run made of Python's numbers enters it. Such
// a tensor is new, unlike a program's constants.
bool makes_literal(const Node& node);

// True if a tensor's elements are contiguous, judged by the operators that made it.
bool is_contiguous(const Graph& graph, TensorId tensor);

}  // namespace strata
