#include "cost/linear_node.h"

#include <algorithm>

#include "cost/layer_kind.h"
#include "ops/registry.h"

namespace strata {

namespace {

// Exporters write the sum right after the product; what stands between them is computed at load.
constexpr std::uint32_t kNear = 16;
constexpr int kMaxChain = 16;

// True if a tensor is stored, or cut out of a stored one.
bool is_stored(const Graph& graph, TensorId id) {
  for (int i = 0; i < kMaxChain && id != kNone; ++i) {
    if (weight_of(graph, id).data != nullptr) return true;
    const NodeId producer = graph.tensors[id].producer;
    if (producer == kNone || graph.nodes[producer].inputs.empty()) return false;
    switch (traits_of(graph.nodes[producer]).op) {
      case Op::Identity:
      case Op::Reshape:
      case Op::Slice:
      case Op::Split:
      case Op::Squeeze:
      case Op::Transpose:
      case Op::Unsqueeze:
        id = graph.nodes[producer].inputs[0];
        break;
      default:
        return false;
    }
  }
  return false;
}

bool is_bias(const Graph& graph, TensorId id) {
  return id != kNone && graph.tensors[id].type->ranked &&
         graph.tensors[id].type->dims.size() == 1 && is_stored(graph, id);
}

}  // namespace

LayerKind counted_kind(const Graph& graph, const Node& node) {
  const LayerKind kind = kind_of_node(graph, node);
  const std::uint8_t weights = traits_of(node).weights;
  const bool has_weights = kind == LayerKind::MatMul && weights < node.inputs.size() &&
                           is_stored(graph, node.inputs[weights]);
  return has_weights ? LayerKind::Linear : kind;
}

bool adds_bias(const Graph& graph, const Node& node) {
  return traits_of(node).op == Op::Add &&
         std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](TensorId id) { return is_bias(graph, id); });
}

std::uint32_t bias_of(const Costs& costs, std::uint32_t product) {
  const Executed& main = costs.nodes[product];
  if (main.get().outputs.empty() || main.get().outputs[0] == kNone) return kNone;
  const TensorId result = main.get().outputs[0];
  const auto end = std::min<std::size_t>(costs.nodes.size(), std::size_t{product} + kNear);
  for (std::size_t i = product + 1; i < end; ++i) {
    const Executed& next = costs.nodes[i];
    const auto inputs = next.get().inputs;
    if (next.cost->folded || next.graph != main.graph || next.scope != main.scope ||
        std::find(inputs.begin(), inputs.end(), result) == inputs.end())
      continue;
    return adds_bias(*next.graph, next.get()) ? static_cast<std::uint32_t>(i) : kNone;
  }
  return kNone;
}

}  // namespace strata
