// The element types that a kernel reads, computes in and writes, and a kernel in the contract's
// form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::ort {

// ONNX's numbers for types; 0: not known.
struct KernelTypes {
  std::vector<std::int32_t> inputs, outputs;  // without absent ones
  std::int32_t computes_in = 0;
};

// The types of a node of an optimized model with known types.
KernelTypes kernel_types(const Graph& graph, const Node& node);

// Everything about a kernel except when it ran and the shapes of its outputs. Points into the
// arguments.
template <class Kernel>
StrataKernel described(std::uint64_t index, const Kernel& kernel, const std::string& provider,
                       std::span<const char* const> sources) {
  StrataKernel out{};
  out.index = index;
  out.name = kernel.name.c_str();
  out.op = kernel.op.c_str();
  out.provider = provider.c_str();
  out.kind = kernel.kind;
  out.sources = sources.data();
  out.source_count = sources.size();
  out.dtype = kernel.types.computes_in;
  out.input_type_count = static_cast<std::int32_t>(kernel.types.inputs.size());
  out.input_types = kernel.types.inputs.data();
  out.output_type_count = static_cast<std::int32_t>(kernel.types.outputs.size());
  out.output_types = kernel.types.outputs.data();
  return out;
}

}  // namespace strata::ort
