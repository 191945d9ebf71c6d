#include "kernel_types.h"

#include <span>

namespace strata::ort {

namespace {

std::vector<std::int32_t> types_of(const Graph& graph, std::span<const TensorId> ids) {
  std::vector<std::int32_t> types;
  for (const TensorId id : ids)
    if (id != kNone) types.push_back(static_cast<std::int32_t>(graph.tensors[id].type->dtype));
  return types;
}

// Operators that read floats but multiply 8-bit numbers: they round their inputs themselves.
bool rounds_its_input(const Node& node) {
  if (node.op == "DynamicQuantizeMatMul" || node.op == "DynamicQuantizeLSTM") return true;
  if (node.op != "MatMulNBits") return false;
  // The level of accuracy at which its inputs may be rounded to 8 bits.
  constexpr std::int64_t kInt8 = 4;
  const Attribute* level = node.attribute("accuracy_level");
  const auto* number = level != nullptr ? std::get_if<std::int64_t>(&level->value) : nullptr;
  return number != nullptr && *number >= kInt8;
}

}  // namespace

KernelTypes kernel_types(const Graph& graph, const Node& node) {
  KernelTypes types{types_of(graph, node.inputs), types_of(graph, node.outputs)};
  const bool by_outputs =
      !types.outputs.empty() && (types.inputs.empty() || node.op == "DequantizeLinear");
  const auto& telling = by_outputs ? types.outputs : types.inputs;
  if (rounds_its_input(node))
    types.computes_in = static_cast<std::int32_t>(DType::I8);
  else if (!telling.empty())
    types.computes_in = telling.front();
  return types;
}

}  // namespace strata::ort
