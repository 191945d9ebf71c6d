// The element types that a kernel of ONNX Runtime reads, computes in and gives.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/graph/graph.h"

namespace strata::ort {

// ONNX's numbers of types; 0 is one that is not known.
struct KernelTypes {
  std::vector<std::int32_t> inputs, outputs;  // without those that are left out
  std::int32_t computes_in = 0;
};

// Of a node of an optimized model whose types are known.
KernelTypes kernel_types(const Graph& graph, const Node& node);

}  // namespace strata::ort
