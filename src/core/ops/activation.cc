// Activation functions. The numbers in each row count the operations of its formula per element:
// additions (and comparisons), multiplications, special operations.
#include "ops/common.h"
#include "ops/curves.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

Scalar relu(const Scalar& a) { return scalar::maximum(a, Scalar(std::int64_t{0})); }

// 0.5·x·(1 + erf(x/√2)), or with tanh(√(2/π)·(x + 0.044715·x³)) instead of erf.
void gelu_cost(CostContext& c) {
  const bool tanh = c.text("approximate", "none") == "tanh";
  return tanh ? work_per_output<2, 6, 1>(c) : work_per_output<1, 3, 1>(c);
}

// x·sigmoid(alpha·x).
void swish_cost(CostContext& c) {
  const bool scaled = c.real("alpha", 1.0) != 1.0;
  return scaled ? work_per_output<1, 2, 2>(c) : work_per_output<1, 1, 2>(c);
}

// The axis along which a softmax adds up to 1. Before version 13, all axes from this one on count
// as one, and it may be one past the last.
std::int64_t softmax_axis(const NodeView& c) {
  const std::int64_t axis = c.integer("axis", c.opset() < 13 ? 1 : -1);
  return axis < 0 ? axis + static_cast<std::int64_t>(c.rank(0)) : axis;
}

Status softmax(ShapeContext& c) {
  if (c.ranked(0) && c.rank(0) > 0) {
    const auto rank = static_cast<std::int64_t>(c.rank(0));
    const std::int64_t axis = softmax_axis(c);
    if (axis < 0 || axis > rank || (axis == rank && c.opset() >= 13)) {
      return failure(c.axis(c.integer("axis", -1), c.rank(0)));
    }
  }
  return like_input(c);
}

// Counts the separate softmaxes.
Expr softmax_rows(const CostContext& c) {
  if (!c.ranked(0)) return Expr::unknown();
  const std::int64_t axis = softmax_axis(c);
  Expr rows = 1;
  for (std::size_t i = 0; i < c.rank(0); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    if (at < axis || (at > axis && c.opset() >= 13)) rows *= c.dims(0)[i];
  }
  return rows;
}

// x - max - log(sum(exp(x - max))); the logarithm is taken once per row.
void log_softmax_cost(CostContext& c) {
  work_per_output<4, 0, 1>(c);
  c.specials({{"rows", softmax_rows(c)}, {"logarithms each", 1}});
}

constexpr Example kRelu[] = {
    {"f32[1,64,112,112]", "", "f32[1,64,112,112]", {.macs = 0, .flops = 802816}},
    {"f32[N,8]", "", "f32[N,8]"},
    {"i64[2]={-3,5}", "", "i64[2]={0,5}"},
};
constexpr Example kTwo[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kPRelu[] = {{"f32[2,3,4], f32[3,1]", "", "f32[2,3,4]", {.flops = 48}}};
constexpr Example kThree[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kFour[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kFive[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 30}}};
constexpr Example kSeven[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 42}}};
constexpr Example kOne[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kGelu[] = {
    {"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 30}},
    {"f32[2,3]", "approximate=\"tanh\"", "f32[2,3]", {.macs = 0, .flops = 54}},
};
constexpr Example kSwish[] = {
    {"f32[2,3]", "", "f32[2,3]", {.flops = 24}},
    {"f32[2,3]", "alpha=1.5f", "f32[2,3]", {.flops = 30}},
};
constexpr Example kSoftmax[] = {
    {"f32[1,1000]", "", "f32[1,1000]", {.macs = 0, .flops = 5000}},
    {"f32[2,3,4]", "axis=-2", "f32[2,3,4]", {.flops = 120}},
    {"f32[5]", "", "f32[5]", {.flops = 25}, 11},
};
constexpr Example kLogSoftmax[] = {
    {"f32[2,3,4]", "axis=1", "f32[2,3,4]", {.macs = 0, .flops = 24 * 5 + 8}},
    {"f32[2,3,4]", "axis=1", "f32[2,3,4]", {.macs = 0, .flops = 24 * 5 + 2}, 11},
};

// Before version 13, all axes from `axis` on counted as one.
constexpr VersionChange kOneAxis = {13, Rewrite::OneAxis};
constexpr AttributeName kSoftmaxAttributes[] = {
    {Attr::Axis, "axis", -1, {}, 13},
    {Attr::Axis, "axis", 1},
};

// An activation function: its kind of layer, its curve, and how it behaves in int8.
constexpr Traits activation(LayerKind kind, double (*curve)(double), Int8Use int8 = Int8Use::Soft,
                            Op op = Op::Unknown) {
  Traits traits;
  traits.op = op;
  traits.kind = kind;
  traits.activation = true;
  traits.curve = curve;
  traits.int8 = int8;
  return traits;
}
// An operator that exporters also use to write activation functions as several nodes.
constexpr Traits in_others(Traits traits, LayerKind gated) {
  traits.written_out = {traits.kind, gated};
  return traits;
}
constexpr Traits relu_traits() {
  Traits traits = activation(LayerKind::ReLU, curve::relu, Int8Use::Absorbed, Op::Relu);
  traits.clamp = {.is = true, .low = 0};
  return traits;
}
constexpr Traits prelu_traits() {
  Traits traits = activation(LayerKind::PReLU, curve::leaky_relu);
  traits.slope = 1;
  return traits;
}
// Works on several elements together, not one by one.
constexpr Traits softmax_traits(LayerKind kind, Op op = Op::Unknown) {
  return {.op = op,
          .kind = kind,
          .int8 = Int8Use::None,
          .changed = &kOneAxis,
          .attributes = kSoftmaxAttributes};
}

constexpr OpRule kActivationRules[] = {
    any_rank("Relu", 1, unary<relu>, adds_per_output<1>, kRelu, relu_traits()),
    any_rank("LeakyRelu", 1, like_input, work_per_output<1, 1, 0>, kTwo,
             activation(LayerKind::LeakyReLU, curve::leaky_relu, Int8Use::Arithmetic)),
    any_rank("PRelu", 1, like_input, work_per_output<1, 1, 0>, kPRelu, prelu_traits()),
    any_rank("ThresholdedRelu", 1, like_input, adds_per_output<1>, kOne,
             activation(LayerKind::Other, curve::thresholded_relu)),
    // x < 0: alpha·(exp(x) - 1)
    any_rank("Elu", 1, like_input, work_per_output<2, 1, 1>, kFour,
             activation(LayerKind::ELU, curve::elu, Int8Use::Soft, Op::Elu)),
    // Elu times gamma
    any_rank("Selu", 1, like_input, work_per_output<2, 2, 1>, kFive,
             activation(LayerKind::Other, curve::selu)),
    // max(0, x) + min(0, alpha·(exp(x/alpha) - 1))
    any_rank("Celu", 12, like_input, work_per_output<4, 1, 2>, kSeven,
             activation(LayerKind::Other, curve::elu)),
    any_rank("Gelu", 20, like_input, gelu_cost, kGelu, activation(LayerKind::GELU, curve::gelu)),
    // 1/(1 + exp(-x))
    any_rank(
        "Sigmoid", 1, like_input, work_per_output<1, 0, 2>, kThree,
        in_others(activation(LayerKind::Sigmoid, curve::sigmoid, Int8Use::Arithmetic, Op::Sigmoid),
                  LayerKind::SiLU)),
    // if gated, it is the approximation of a GELU
    any_rank("Tanh", 1, like_input, specials_per_output<1>, kOne,
             in_others(activation(LayerKind::Tanh, curve::tanh, Int8Use::Soft, Op::Tanh),
                       LayerKind::GELU)),
    // log(1 + exp(x))
    any_rank("Softplus", 1, like_input, work_per_output<1, 0, 2>, kThree,
             activation(LayerKind::Other, curve::softplus, Int8Use::Soft, Op::Softplus)),
    // x/(1 + |x|)
    any_rank("Softsign", 1, like_input, work_per_output<2, 0, 1>, kThree,
             activation(LayerKind::Other, curve::softsign)),
    // max(0, min(1, alpha·x + beta))
    any_rank(
        "HardSigmoid", 1, like_input, work_per_output<3, 1, 0>, kFour,
        in_others(activation(LayerKind::Hardsigmoid, curve::hard_sigmoid), LayerKind::Hardswish)),
    // x times HardSigmoid
    any_rank("HardSwish", 14, like_input, work_per_output<3, 2, 0>, kFive,
             activation(LayerKind::Hardswish, curve::hard_swish)),
    any_rank("Swish", 24, like_input, swish_cost, kSwish,
             activation(LayerKind::Other, curve::silu)),
    // x·tanh(softplus(x))
    any_rank("Mish", 18, like_input, work_per_output<1, 1, 3>, kFive,
             activation(LayerKind::Other, curve::mish)),
    // two comparisons and a sum
    any_rank("Shrink", 9, like_input, adds_per_output<3>, kThree,
             activation(LayerKind::Other, curve::shrink)),
    // exp(x - max)/sum: maximum, difference, exponential, sum, division
    any_rank("Softmax", 1, softmax, work_per_output<3, 0, 2>, kSoftmax,
             softmax_traits(LayerKind::Softmax, Op::Softmax)),
    any_rank("LogSoftmax", 1, softmax, log_softmax_cost, kLogSoftmax,
             softmax_traits(LayerKind::Other)),
    // the maximum, and whether it is this element
    any_rank("Hardmax", 1, softmax, adds_per_output<2>, kTwo, softmax_traits(LayerKind::Other)),
};

}  // namespace

std::span<const OpRule> activation_rules() { return kActivationRules; }

}  // namespace strata
