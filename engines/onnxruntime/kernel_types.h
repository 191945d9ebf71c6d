// The element types that a kernel of ONNX Runtime reads, computes in and writes.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/graph/graph.h"

namespace strata::ort {

// ONNX's numbers for types; 0: not known.
struct KernelTypes {
  std::vector<std::int32_t> inputs, outputs;  // without absent ones
  std::int32_t computes_in = 0;
};

// The types of a node of an optimized model with known types.
KernelTypes kernel_types(const Graph& graph, const Node& node);

}  // namespace strata::ort
