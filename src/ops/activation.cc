// Activation functions. The numbers after each row are what its formula takes per
// element: additions (and comparisons), multiplications, special operations.
#include "ops/common.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

Scalar relu(const Scalar& a) { return scalar::maximum(a, Scalar(std::int64_t{0})); }

// 0.5·x·(1 + erf(x/√2)), or with tanh(√(2/π)·(x + 0.044715·x³)) for erf.
void gelu_cost(CostContext& c) {
  const bool tanh = c.text("approximate", "none") == "tanh";
  return tanh ? work_per_output<2, 6, 1>(c) : work_per_output<1, 3, 1>(c);
}

// x·sigmoid(alpha·x).
void swish_cost(CostContext& c) {
  const bool scaled = c.real("alpha", 1.0) != 1.0;
  return scaled ? work_per_output<1, 2, 2>(c) : work_per_output<1, 1, 2>(c);
}

// The axis along which a softmax adds up to 1. Before version 13 all axes from
// this one on count as one, and it may be one past the last.
std::int64_t softmax_axis(const NodeView& c) {
  const std::int64_t axis = c.integer("axis", c.opset() < 13 ? 1 : -1);
  return axis < 0 ? axis + static_cast<std::int64_t>(c.rank(0)) : axis;
}

Status softmax(ShapeContext& c) {
  if (c.ranked(0) && c.rank(0) > 0) {
    const auto rank = static_cast<std::int64_t>(c.rank(0));
    const std::int64_t axis = softmax_axis(c);
    if (axis < 0 || axis > rank || (axis == rank && c.opset() >= 13)) {
      return tl::unexpected(c.axis(c.integer("axis", -1), c.rank(0)).error());
    }
  }
  return like_input(c);
}

// How many separate softmaxes there are.
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

// x - max - log(sum(exp(x - max))); the logarithm once per row.
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

constexpr OpRule kRules[] = {
    any_rank("Relu", 1, unary<relu>, adds_per_output<1>, kRelu),
    any_rank("LeakyRelu", 1, like_input, work_per_output<1, 1, 0>, kTwo),
    any_rank("PRelu", 1, like_input, work_per_output<1, 1, 0>, kPRelu),
    any_rank("ThresholdedRelu", 1, like_input, adds_per_output<1>, kOne),
    // x < 0: alpha·(exp(x) - 1)
    any_rank("Elu", 1, like_input, work_per_output<2, 1, 1>, kFour),
    // Elu times gamma
    any_rank("Selu", 1, like_input, work_per_output<2, 2, 1>, kFive),
    // max(0, x) + min(0, alpha·(exp(x/alpha) - 1))
    any_rank("Celu", 12, like_input, work_per_output<4, 1, 2>, kSeven),
    any_rank("Gelu", 20, like_input, gelu_cost, kGelu),
    // 1/(1 + exp(-x))
    any_rank("Sigmoid", 1, like_input, work_per_output<1, 0, 2>, kThree),
    any_rank("Tanh", 1, like_input, specials_per_output<1>, kOne),
    // log(1 + exp(x))
    any_rank("Softplus", 1, like_input, work_per_output<1, 0, 2>, kThree),
    // x/(1 + |x|)
    any_rank("Softsign", 1, like_input, work_per_output<2, 0, 1>, kThree),
    // max(0, min(1, alpha·x + beta))
    any_rank("HardSigmoid", 1, like_input, work_per_output<3, 1, 0>, kFour),
    // x times HardSigmoid
    any_rank("HardSwish", 14, like_input, work_per_output<3, 2, 0>, kFive),
    any_rank("Swish", 24, like_input, swish_cost, kSwish),
    // x·tanh(softplus(x))
    any_rank("Mish", 18, like_input, work_per_output<1, 1, 3>, kFive),
    // two comparisons and a sum
    any_rank("Shrink", 9, like_input, adds_per_output<3>, kThree),
    // exp(x - max)/sum: maximum, difference, exponential, sum, division
    any_rank("Softmax", 1, softmax, work_per_output<3, 0, 2>, kSoftmax),
    any_rank("LogSoftmax", 1, softmax, log_softmax_cost, kLogSoftmax),
    // the maximum, and whether it is this element
    any_rank("Hardmax", 1, softmax, adds_per_output<2>, kTwo),
};

}  // namespace

std::span<const OpRule> activation_rules() { return kRules; }

}  // namespace strata
