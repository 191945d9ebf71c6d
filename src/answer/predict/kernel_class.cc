#include "predict/kernel_class.h"

#include <array>

#include "cost/layer_facts.h"
#include "cost/layer_kind.h"
#include "cost/linear_node.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr std::array<std::string_view, kKernelClasses> kClassNames = {
    "conv1x1",   "conv",         "conv_stem", "conv_grouped", "depthwise",  "depthwise_large",
    "gemm",      "batched_gemm", "attention", "batch_norm",   "layer_norm", "group_norm",
    "pointwise", "softmax",      "reduction", "pool",         "copy",       "gather",
    "resize",    "recurrent",    "other",     "unknown"};

constexpr double kImageChannels = 4;
constexpr double kSmallWindow = 9;  // 3×3

double number(const Amount& amount, double otherwise) {
  return amount.number().value_or(otherwise);
}

KernelClass conv_class(double groups, double window, double channels) {
  if (groups > 1 && groups >= channels)
    return window > kSmallWindow ? KernelClass::DepthwiseLarge : KernelClass::Depthwise;
  if (groups > 1) return KernelClass::ConvGrouped;
  if (channels <= kImageChannels) return KernelClass::ConvStem;
  return window > 1 ? KernelClass::Conv : KernelClass::ConvPointwise;
}

KernelClass conv_class(const Costs& costs, std::uint32_t index, LayerKind kind) {
  const std::array<std::uint32_t, 1> members = {index};
  const LayerFacts facts(costs, kind, index, members);
  return conv_class(number(facts[Fact::groups], 1), number(facts[Fact::k], 9),
                    number(facts[Fact::Ci], 64));
}

// Inputs: gradient, input, weight.
KernelClass conv_gradient_class(const NodeView& node) {
  const Dims& weight = node.dims(2);
  if (weight.size() < 2) return KernelClass::Conv;
  const auto groups = static_cast<double>(node.integer("groups", 1));
  const auto size = [&](std::size_t axis) {
    return static_cast<double>(weight[axis].number().value_or(1));
  };
  double window = 1;
  for (std::size_t axis = 2; axis < weight.size(); ++axis) window *= size(axis);
  return conv_class(groups, window, groups * size(1));
}

// The gradient of an operator runs on kernels of that operator's class: its forward operator, for
// `native_layer_norm_backward` native_layer_norm. Unknown for other operators.
LayerKind kind_of_gradient(const Node& node) {
  const std::size_t end = node.op.find("_backward");
  if (end == node.op.npos) return LayerKind::Unknown;
  const OpRule* forward = find_rule(node.domain, node.op.substr(0, end), 1);
  return forward == nullptr ? LayerKind::Unknown : forward->traits.kind;
}

}  // namespace

std::string_view name_of(KernelClass kind) { return kClassNames[static_cast<std::size_t>(kind)]; }

std::optional<KernelClass> kernel_class_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kKernelClasses; ++i)
    if (kClassNames[i] == name) return static_cast<KernelClass>(i);
  return std::nullopt;
}

bool uses_matrix_units(KernelClass kind) {
  switch (kind) {
    case KernelClass::ConvPointwise:
    case KernelClass::Conv:
    case KernelClass::ConvStem:
    case KernelClass::ConvGrouped:
    case KernelClass::Gemm:
    case KernelClass::BatchedGemm:
    case KernelClass::Attention:
    case KernelClass::Recurrent:
      return true;
    default:
      return false;
  }
}

bool is_fusible(KernelClass kind) {
  switch (kind) {
    case KernelClass::BatchNorm:
    case KernelClass::LayerNorm:
    case KernelClass::GroupNorm:
    case KernelClass::Pointwise:
    case KernelClass::Softmax:
    case KernelClass::Reduction:
    case KernelClass::Copy:
      return true;
    default:
      return false;
  }
}

KernelClass class_of_node(const Costs& costs, std::uint32_t index, double macs, double flops,
                          double outputs, double inputs) {
  const Executed& executed = costs.nodes[index];
  if (executed.cost->certainty == Certainty::Unknown) return KernelClass::Unknown;
  const Node node = executed.get();
  const bool is_forward = node.phase == Phase::Forward;
  if (!is_forward && node.op == "convolution_backward")
    return conv_gradient_class(NodeView(*executed.graph, node));
  const LayerKind gradient = is_forward ? LayerKind::Unknown : kind_of_gradient(node);
  const LayerKind kind =
      gradient == LayerKind::Unknown ? counted_kind(*executed.graph, node) : gradient;
  switch (kind) {
    case LayerKind::Conv:
    case LayerKind::ConvTranspose:
      return conv_class(costs, index, kind);
    case LayerKind::Linear:
      return KernelClass::Gemm;
    case LayerKind::MatMul:
      // A gradient of a Linear is one product of two activations.
      return is_forward || NodeView(*executed.graph, node).rank(0) != 2 ? KernelClass::BatchedGemm
                                                                        : KernelClass::Gemm;
    case LayerKind::Attention:
      return KernelClass::Attention;
    case LayerKind::BatchNorm:
      return KernelClass::BatchNorm;
    case LayerKind::LayerNorm:
      return KernelClass::LayerNorm;
    case LayerKind::GroupNorm:
    case LayerKind::InstanceNorm:
      return KernelClass::GroupNorm;
    case LayerKind::Softmax:
      return KernelClass::Softmax;
    case LayerKind::MaxPool:
    case LayerKind::AvgPool:
    case LayerKind::AdaptiveAvgPool:
    case LayerKind::AdaptiveMaxPool:
      return outputs * 16 <= inputs ? KernelClass::Reduction : KernelClass::Pool;
    case LayerKind::Embedding:
      return KernelClass::Gather;
    case LayerKind::Upsample:
      return KernelClass::Resize;
    case LayerKind::Recurrent:
      return KernelClass::Recurrent;
    default:
      break;
  }
  if (traits_of(node).op == Op::Attention) return KernelClass::Attention;
  if (traits_of(node).op == Op::Gather || traits_of(node).op == Op::GatherND)
    return KernelClass::Gather;
  if (macs > 0) return KernelClass::BatchedGemm;
  if (flops == 0) return KernelClass::Copy;
  return outputs * 2 <= inputs && outputs > 0 && flops < inputs * 4 ? KernelClass::Reduction
                                                                    : KernelClass::Pointwise;
}

}  // namespace strata
