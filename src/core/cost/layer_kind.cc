#include "cost/layer_kind.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/shortened.h"
#include "ops/ncnn_table.h"
#include "ops/node_view.h"
#include "ops/registry.h"
#include "ops/tflite_table.h"

namespace strata {

namespace {

bool is_weight(const Graph& graph, const Node& node, std::size_t slot) {
  return slot < node.inputs.size() && node.inputs[slot] != kNone &&
         weight_of(graph, node.inputs[slot]).data != nullptr;
}

}  // namespace

LayerKind kind_of_node(const Graph& graph, const Node& node) {
  const Traits& traits = traits_of(node);
  if (traits.kind_with_weights != LayerKind::Unknown && is_weight(graph, node, traits.weights))
    return traits.kind_with_weights;
  return traits.kind_of != nullptr ? traits.kind_of(NodeView(graph, node)) : traits.kind;
}

namespace {

// The kind of a module that exporters write as several operators; nullopt if its main node decides.
// A module that multiplies more than once is not a single operator. Nodes of other phases than
// `phase` say nothing of it.
std::optional<LayerKind> kind_of_several(const Costs& costs, std::span<const std::uint32_t> members,
                                         Phase phase) {
  std::size_t multiplying = 0, recurrent = 0;
  std::uint64_t ops = 0;  // one bit per Op
  const auto bit = [](Op op) { return std::uint64_t{1} << static_cast<unsigned>(op); };
  for (std::uint32_t index : members) {
    const Executed& executed = costs.nodes[index];
    if (executed.get().phase != phase) continue;
    if (executed.cost->folded && executed.get().inputs.empty()) continue;  // a Constant
    const Traits& traits = traits_of(executed.get());
    ops |= bit(traits.op);
    if (executed.cost->folded || executed.cost->macs.is(0)) continue;
    ++multiplying;
    if (traits.kind == LayerKind::Recurrent) ++recurrent;
  }
  const auto has = [&](Op op) { return (ops & bit(op)) != 0; };
  if (multiplying > 1 && recurrent < multiplying)
    return has(Op::Softmax) || has(Op::Attention) ? LayerKind::Attention : LayerKind::Other;
  if (multiplying > 0) return std::nullopt;
  if (has(Op::Erf)) return LayerKind::GELU;
  if (has(Op::Tanh) && has(Op::Mul) && !has(Op::Softplus))
    return LayerKind::GELU;  // its approximation
  if (has(Op::Sigmoid) && has(Op::Mul)) return LayerKind::SiLU;
  if (has(Op::InstanceNorm) && has(Op::Reshape)) return LayerKind::GroupNorm;
  if (has(Op::ReduceMean) && has(Op::Sub) && has(Op::Sqrt) && has(Op::Div))
    return LayerKind::LayerNorm;
  return std::nullopt;
}

constexpr std::pair<LayerKind, std::string_view> kTorchNames[] = {
    {LayerKind::Linear, "Linear"},       {LayerKind::LayerNorm, "LayerNorm"},
    {LayerKind::GroupNorm, "GroupNorm"}, {LayerKind::ReLU, "ReLU"},
    {LayerKind::ReLU6, "ReLU6"},         {LayerKind::LeakyReLU, "LeakyReLU"},
    {LayerKind::PReLU, "PReLU"},         {LayerKind::ELU, "ELU"},
    {LayerKind::GELU, "GELU"},           {LayerKind::SiLU, "SiLU"},
    {LayerKind::Hardswish, "Hardswish"}, {LayerKind::Hardsigmoid, "Hardsigmoid"},
    {LayerKind::Sigmoid, "Sigmoid"},     {LayerKind::Tanh, "Tanh"},
    {LayerKind::Softmax, "Softmax"},     {LayerKind::Dropout, "Dropout"},
    {LayerKind::Flatten, "Flatten"},     {LayerKind::Embedding, "Embedding"},
    {LayerKind::Attention, "Attention"}, {LayerKind::Upsample, "Upsample"},
};

// The kinds whose torch.nn class name includes the number of spatial axes.
constexpr std::pair<LayerKind, std::string_view> kSpatialNames[] = {
    {LayerKind::Conv, "Conv"},
    {LayerKind::ConvTranspose, "ConvTranspose"},
    {LayerKind::BatchNorm, "BatchNorm"},
    {LayerKind::InstanceNorm, "InstanceNorm"},
    {LayerKind::MaxPool, "MaxPool"},
    {LayerKind::AvgPool, "AvgPool"},
    {LayerKind::AdaptiveAvgPool, "AdaptiveAvgPool"},
    {LayerKind::AdaptiveMaxPool, "AdaptiveMaxPool"},
};

}  // namespace

namespace {

// The kind of an activation or a pool of torch.nn; Unknown for any other class.
LayerKind kind_of_class(std::string_view cls) {
  for (const auto& [kind, name] : kTorchNames)
    if (cls == name && is_activation(kind)) return kind;
  for (const auto& [kind, name] : kSpatialNames)
    if (cls.size() == name.size() + 2 && cls.starts_with(name) && cls.ends_with('d')) return kind;
  return LayerKind::Unknown;
}

LayerKind kind_by_nodes(const Costs& costs, const Layers& layers, const Layer& layer) {
  const auto members = layers.nodes_of(layer);
  const Executed& main = costs.nodes[layer.main];
  if (members.size() > 1)
    if (const auto kind = kind_of_several(costs, members, main.get().phase)) return *kind;
  return kind_of_node(*main.graph, main.get());
}

}  // namespace

LayerKind kind_of_layer(const Model& model, const Costs& costs, const Layers& layers,
                        const Layer& layer) {
  const LayerKind kind = kind_by_nodes(costs, layers, layer);
  // torch decomposes some modules into arithmetic: a Hardswish, an adaptive pool. Its files say
  // what they were.
  const bool is_arithmetic = (kind == LayerKind::Other || kind == LayerKind::Elementwise) &&
                             !layer.functional && layer.scope != 0 &&
                             costs.nodes[layer.main].get().domain == kAten;
  if (!is_arithmetic) return kind;
  const LayerKind stated = kind_of_class(model.scopes[layer.scope].cls);
  return stated != LayerKind::Unknown ? stated : kind;
}

namespace {

std::string own_type(const Model& model, const Costs& costs, const Layer& layer) {
  const Executed& main = costs.nodes[layer.main];
  if (layer.functional || layer.scope == 0) return shortened(main.get().op);
  if (!model.scopes[layer.scope].cls.empty()) return shortened(model.scopes[layer.scope].cls);
  for (const auto& [kind, name] : kTorchNames)
    if (kind == layer.kind) return std::string(name);
  const std::size_t rank = NodeView(*main.graph, main.get()).rank(0);
  for (const auto& [kind, name] : kSpatialNames)
    if (kind == layer.kind && rank >= 3) return fmt::format("{}{}d", name, rank - 2);
  return shortened(main.get().op);
}

}  // namespace

std::string layer_type(const Model& model, const Costs& costs, const Layer& layer) {
  std::string type = own_type(model, costs, layer);
  const Executed& main = costs.nodes[layer.main];
  // A function that is fused into the layer has no row of its own.
  const std::string_view domain = main.get().domain;
  if (domain != kTflite && domain != kNcnn) return type;
  const std::string_view fused = NodeView(*main.graph, main.get()).text("activation", "");
  return fused.empty() ? type : fmt::format("{}+{}", type, fused);
}

bool is_norm(LayerKind kind) {
  return kind == LayerKind::BatchNorm || kind == LayerKind::LayerNorm ||
         kind == LayerKind::GroupNorm || kind == LayerKind::InstanceNorm;
}

bool is_activation(LayerKind kind) {
  switch (kind) {
    case LayerKind::ReLU:
    case LayerKind::ReLU6:
    case LayerKind::LeakyReLU:
    case LayerKind::PReLU:
    case LayerKind::ELU:
    case LayerKind::GELU:
    case LayerKind::SiLU:
    case LayerKind::Hardswish:
    case LayerKind::Hardsigmoid:
    case LayerKind::Sigmoid:
    case LayerKind::Tanh:
      return true;
    default:
      return false;
  }
}

}  // namespace strata
