#include "cost/layer_kind.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ops/node_view.h"

namespace strata {

namespace {

struct KindName {
  std::string_view op;
  LayerKind kind;
};

// Operators that are one kind whatever their inputs.
constexpr KindName kByOperator[] = {
    {"Conv", LayerKind::Conv},
    {"ConvInteger", LayerKind::Conv},
    {"QLinearConv", LayerKind::Conv},
    {"FusedConv", LayerKind::Conv},
    {"NhwcFusedConv", LayerKind::Conv},
    {"ConvTranspose", LayerKind::ConvTranspose},
    {"BatchNormalization", LayerKind::BatchNorm},
    {"LayerNormalization", LayerKind::LayerNorm},
    {"GroupNormalization", LayerKind::GroupNorm},
    {"InstanceNormalization", LayerKind::InstanceNorm},
    {"Relu", LayerKind::ReLU},
    {"LeakyRelu", LayerKind::LeakyReLU},
    {"PRelu", LayerKind::PReLU},
    {"Elu", LayerKind::ELU},
    {"Gelu", LayerKind::GELU},
    {"HardSwish", LayerKind::Hardswish},
    {"HardSigmoid", LayerKind::Hardsigmoid},
    {"Sigmoid", LayerKind::Sigmoid},
    {"Tanh", LayerKind::Tanh},
    {"Softmax", LayerKind::Softmax},
    {"MaxPool", LayerKind::MaxPool},
    {"AveragePool", LayerKind::AvgPool},
    {"GlobalAveragePool", LayerKind::AdaptiveAvgPool},
    {"GlobalMaxPool", LayerKind::AdaptiveMaxPool},
    {"Dropout", LayerKind::Dropout},
    {"Flatten", LayerKind::Flatten},
    {"Resize", LayerKind::Upsample},
    {"Upsample", LayerKind::Upsample},
    {"RNN", LayerKind::Recurrent},
    {"LSTM", LayerKind::Recurrent},
    {"GRU", LayerKind::Recurrent},
    {"Attention", LayerKind::Attention},
    {"MultiHeadAttention", LayerKind::Attention},
    {"GroupQueryAttention", LayerKind::Attention},
    {"Add", LayerKind::Elementwise},
    {"Sub", LayerKind::Elementwise},
    {"Mul", LayerKind::Elementwise},
    {"Div", LayerKind::Elementwise},
};

std::optional<double> constant_scalar(const Graph& graph, TensorId id) {
  if (id == kNone) return std::nullopt;
  const Tensor& tensor = graph.tensors[id];
  if (tensor.value != nullptr && tensor.value->size() == 1) return tensor.value->items[0].number();
  if (tensor.data != nullptr)
    if (auto value = decode(*tensor.data); value && value->size() == 1)
      return value->items[0].number();
  return std::nullopt;
}

bool is_weight(const Graph& graph, const Node& node, std::size_t slot) {
  return slot < node.inputs.size() && node.inputs[slot] != kNone &&
         weight_of(graph, node.inputs[slot]).data != nullptr;
}

bool clips_to_six(const Graph& graph, const Node& node) {
  NodeView view(graph, node);
  const auto bound = [&](std::size_t slot, std::string_view name) -> std::optional<double> {
    if (slot < node.inputs.size()) return constant_scalar(graph, node.inputs[slot]);
    if (view.has_attribute(name)) return view.real(name, 0);
    return std::nullopt;
  };
  return bound(1, "min") == 0.0 && bound(2, "max") == 6.0;
}

// An adaptive pool is written as a pool whose windows do not overlap; unlike for a
// pool with a window of its own, the exporter states neither padding nor rounding.
bool is_adaptive(const Graph& graph, const Node& node) {
  const NodeView view(graph, node);
  const auto kernel = view.integers("kernel_shape"), strides = view.integers("strides");
  return std::equal(kernel.begin(), kernel.end(), strides.begin(), strides.end()) &&
         node.attribute("pads") == nullptr && node.attribute("ceil_mode") == nullptr &&
         node.attribute("auto_pad") == nullptr;
}

}  // namespace

LayerKind kind_of_node(const Graph& graph, const Node& node) {
  if (node.op == "Clip") return clips_to_six(graph, node) ? LayerKind::ReLU6 : LayerKind::Other;
  if (node.op == "Gemm" || node.op == "MatMul" || node.op == "FusedMatMul" ||
      node.op == "FusedGemm" || node.op == "MatMulInteger" || node.op == "QLinearMatMul" ||
      node.op == "MatMulNBits") {
    const std::size_t slot = node.op == "QLinearMatMul" ? 3 : 1;
    return is_weight(graph, node, slot) ? LayerKind::Linear : LayerKind::MatMul;
  }
  if (node.op == "Gather")
    return is_weight(graph, node, 0) ? LayerKind::Embedding : LayerKind::Other;
  if (node.op == "AveragePool" && is_adaptive(graph, node)) return LayerKind::AdaptiveAvgPool;
  if (node.op == "MaxPool" && is_adaptive(graph, node)) return LayerKind::AdaptiveMaxPool;
  for (const KindName& known : kByOperator)
    if (known.op == node.op) return known.kind;
  return LayerKind::Other;
}

namespace {

bool is_recurrent(std::string_view op) { return op == "RNN" || op == "GRU" || op == "LSTM"; }

// Modules that exporters write with several operators; nullopt if its main node
// decides. A module that multiplies more than once is what no single operator is.
std::optional<LayerKind> kind_of_several(const Costs& costs,
                                         std::span<const std::uint32_t> members) {
  std::size_t multiplying = 0, recurrent = 0;
  for (std::uint32_t index : members) {
    const Executed& executed = costs.nodes[index];
    if (executed.cost.folded || executed.cost.macs.is(0)) continue;
    ++multiplying;
    if (is_recurrent(executed.get().op)) ++recurrent;
  }
  const auto has = [&](std::string_view op) {
    return std::any_of(members.begin(), members.end(),
                       [&](std::uint32_t index) { return costs.nodes[index].get().op == op; });
  };
  if (multiplying > 1 && recurrent < multiplying)
    return has("Softmax") ? LayerKind::Attention : LayerKind::Other;
  if (multiplying > 0) return std::nullopt;
  if (has("Erf")) return LayerKind::GELU;
  if (has("Tanh") && has("Mul") && !has("Softplus")) return LayerKind::GELU;  // its approximation
  if (has("Sigmoid") && has("Mul")) return LayerKind::SiLU;
  if (has("InstanceNormalization") && has("Reshape")) return LayerKind::GroupNorm;
  if (has("ReduceMean") && has("Sub") && has("Sqrt") && has("Div")) return LayerKind::LayerNorm;
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

// Those whose torch.nn class names the number of spatial axes.
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

LayerKind kind_of_layer(const Costs& costs, const Layers& layers, const Layer& layer) {
  const auto members = layers.nodes_of(layer);
  const Executed& main = costs.nodes[layer.main];
  if (members.size() > 1)
    if (const auto kind = kind_of_several(costs, members)) return *kind;
  return kind_of_node(*main.graph, main.get());
}

std::string layer_type(const Model& model, const Costs& costs, const Layer& layer) {
  const Executed& main = costs.nodes[layer.main];
  if (layer.functional || layer.scope == 0) return std::string(main.get().op);
  if (!model.scopes[layer.scope].cls.empty()) return std::string(model.scopes[layer.scope].cls);
  for (const auto& [kind, name] : kTorchNames)
    if (kind == layer.kind) return std::string(name);
  const std::size_t rank = NodeView(*main.graph, main.get()).rank(0);
  for (const auto& [kind, name] : kSpatialNames)
    if (kind == layer.kind && rank >= 3) return fmt::format("{}{}d", name, rank - 2);
  return std::string(main.get().op);
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
