// Operators of PyTorch on two or more tensors, or a tensor and a number, element by element.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

// self + alpha·other; torch's exporter leaves out a factor of 1.
void sum_cost(CostContext& c) {
  adds_per_output<1>(c);
  if (number_of(c, "alpha", 1) != 1 && c.has(1))
    c.muls({{"elements times alpha", c.in_elements(1)}});
}

// A quotient that is rounded takes one operation more.
void quotient_cost(CostContext& c) {
  specials_per_output<1>(c);
  if (!c.text("rounding_mode", "").empty()) c.adds({{"outputs, rounded", c.out_elements(0)}});
}

// Bounds may be numbers or tensors.
void clamp_cost(CostContext& c) {
  const int bounds =
      (c.has(1) || has_number(c, "min") ? 1 : 0) + (c.has(2) || has_number(c, "max") ? 1 : 0);
  c.adds({{"outputs", c.out_elements(0)}, {"bounds", bounds}});
}
LayerKind clamp_kind(const NodeView& c) {
  const bool from_zero = has_number(c, "min") && number_of(c, "min", 1) == 0;
  if (from_zero && has_number(c, "max") && number_of(c, "max", 0) == 6) return LayerKind::ReLU6;
  return from_zero && !has_number(c, "max") && !c.has(2) ? LayerKind::ReLU : LayerKind::Other;
}

// self + value·a·b and self + value·a/b.
void scaled(CostContext& c) {
  if (number_of(c, "value", 1) != 1) c.muls({{"outputs times value", c.out_elements(0)}});
}
void addcmul_cost(CostContext& c) {
  work_per_output<1, 1, 0>(c);
  scaled(c);
}
void addcdiv_cost(CostContext& c) {
  work_per_output<1, 0, 1>(c);
  scaled(c);
}

constexpr Example kSum[] = {
    {"f32[2,3,4], f32[3,1]", "alpha=1", "f32[2,3,4]", {.macs = 0, .flops = 24}},
    // 24 sums and 3 products.
    {"f32[2,3,4], f32[3,1]", "alpha=0.5f", "f32[2,3,4]", {.macs = 0, .flops = 27}},
    {"f32[2,N]", "other=1 alpha=1", "f32[2,N]"},
};
constexpr Example kOne[] = {{"f32[2,3], f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kOneScalar[] = {{"f32[2,3]", "exponent=2", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kQuotient[] = {
    {"f32[8,16], f32[]", "", "f32[8,16]", {.macs = 0, .flops = 128}},
    {"f32[8,16]", "other=2 rounding_mode=\"floor\"", "f32[8,16]", {.macs = 0, .flops = 256}},
};
constexpr Example kRounded[] = {{"f32[8,16], f32[]", "", "f32[8,16]", {.macs = 0, .flops = 256}}};
constexpr Example kCompared[] = {
    {"f32[2,3], f32[3]", "", "bool[2,3]", {.macs = 0, .flops = 6}},
    {"f32[2,3]", "other=0", "bool[2,3]", {.macs = 0, .flops = 6}},
};
constexpr Example kBits[] = {{"i32[2,3], i32[3]", "", "i32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kClamp[] = {
    {"f32[2,3]", "min=0 max=6", "f32[2,3]", {.macs = 0, .flops = 12}},
    {"f32[2,3], _, f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 6}},
};
constexpr Example kClampOne[] = {{"f32[2,3]", "min=0", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kClampMax[] = {{"f32[2,3]", "max=1", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kWhere[] = {
    {"bool[2,1], f32[3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kMasked[] = {
    {"f32[2,3], bool[2,1]", "value=0", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kAddcmul[] = {
    {"f32[2,3], f32[2,3], f32[3]", "value=1", "f32[2,3]", {.macs = 0, .flops = 12}},
    {"f32[2,3], f32[2,3], f32[3]", "value=0.5f", "f32[2,3]", {.macs = 0, .flops = 18}},
};
constexpr Example kLerp[] = {
    {"f32[2,3], f32[2,3]", "weight=0.5f", "f32[2,3]", {.macs = 0, .flops = 18}}};
// Neighbours of each other; a second tensor may stand before or after the first.
constexpr Example kDiff[] = {{"i64[2,8]", "n=1 dim=-1", "i64[2,7]", {.macs = 0, .flops = 14}}};
constexpr Example kXlogy[] = {{"f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kPolar[] = {{"f32[2,3], f32[2,3]", "", "c64[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kHypot[] = {{"f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kLogAddExp[] = {{"f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};

constexpr Traits clamp_traits() {
  Traits traits = {.kind_of = clamp_kind};
  traits.clamp = {
      .is = true, .low_input = 1, .high_input = 2, .low_attribute = "min", .high_attribute = "max"};
  return traits;
}
constexpr Traits kClampTraits = clamp_traits();

constexpr OpRule kAtenElementwiseRules[] = {
    aten_as("add", "Add", sum_cost, kSum),
    aten_as("sub", "Sub", sum_cost, kSum),
    aten_as("subtract", "Sub", sum_cost, kSum),
    aten_as("rsub", "Sub", sum_cost, kSum),
    aten_like("mul", "Mul", kOne),
    aten_like("multiply", "Mul", kOne),
    aten_as("div", "Div", quotient_cost, kQuotient),
    aten_as("divide", "Div", quotient_cost, kQuotient),
    aten_like("true_divide", "Div", kOne),
    aten_as("floor_divide", "Div", work_per_output<1, 0, 1>, kRounded),
    aten_like("remainder", "Mod", kOne),
    aten_like("fmod", "Mod", kOne),
    aten_like("pow", "Pow", kOneScalar),
    aten_like("float_power", "Pow", kOneScalar),
    aten("diff", adds_per_output<1>, kDiff),
    aten("atan2", specials_per_output<1>, kOne),
    aten("arctan2", specials_per_output<1>, kOne),
    aten("copysign", adds_per_output<1>, kOne),
    // the root of a sum of squares
    aten("hypot", work_per_output<1, 2, 1>, kHypot),
    // log(exp(a) + exp(b))
    aten("logaddexp", work_per_output<1, 0, 3>, kLogAddExp),
    aten("xlogy", work_per_output<0, 1, 1>, kXlogy),
    // a·cos(b), a·sin(b)
    aten("polar", work_per_output<0, 2, 2>, kPolar),
    aten("maximum", adds_per_output<1>, kOne),
    aten("minimum", adds_per_output<1>, kOne),
    aten("fmax", adds_per_output<1>, kOne),
    aten("fmin", adds_per_output<1>, kOne),
    aten("max.other", adds_per_output<1>, kOne),
    aten("min.other", adds_per_output<1>, kOne),
    aten_as("clamp", "Clip", clamp_cost, kClamp, kClampTraits),
    aten_as("clip", "Clip", clamp_cost, kClamp, kClampTraits),
    aten_as("clamp_min", "Clip", adds_per_output<1>, kClampOne, kClampTraits),
    aten_as("clamp_max", "Clip", adds_per_output<1>, kClampMax, kClampTraits),
    aten_like("eq", "Equal", kCompared),
    aten("ne", adds_per_output<1>, kCompared),
    aten("not_equal", adds_per_output<1>, kCompared),
    aten_like("lt", "Less", kCompared),
    aten_like("less", "Less", kCompared),
    aten_like("le", "LessOrEqual", kCompared),
    aten_like("less_equal", "LessOrEqual", kCompared),
    aten_like("gt", "Greater", kCompared),
    aten_like("greater", "Greater", kCompared),
    aten_like("ge", "GreaterOrEqual", kCompared),
    aten_like("greater_equal", "GreaterOrEqual", kCompared),
    aten_like("logical_and", "And", kCompared),
    aten_like("logical_or", "Or", kCompared),
    aten_like("logical_xor", "Xor", kCompared),
    aten_like("bitwise_and", "BitwiseAnd", kBits),
    aten_like("bitwise_or", "BitwiseOr", kBits),
    aten_like("bitwise_xor", "BitwiseXor", kBits),
    aten_like("__and__", "BitwiseAnd", kBits),
    aten_like("__or__", "BitwiseOr", kBits),
    aten_like("__xor__", "BitwiseXor", kBits),
    aten_like("bitwise_left_shift", "BitShift", kBits),
    aten_like("bitwise_right_shift", "BitShift", kBits),
    aten_like("__lshift__", "BitShift", kBits),
    aten_like("__rshift__", "BitShift", kBits),
    aten_like("where.self", "Where", kWhere),
    aten_like("where.ScalarSelf", "Where", kWhere),
    aten_like("where.ScalarOther", "Where", kWhere),
    aten_like("where.Scalar", "Where", kWhere),
    aten_like("masked_fill", "Where", kMasked),
    aten("addcmul", addcmul_cost, kAddcmul),
    aten("addcdiv", addcdiv_cost, kAddcmul),
    // start + weight·(end - start)
    aten("lerp", work_per_output<2, 1, 0>, kLerp),
};

}  // namespace

std::span<const OpRule> aten_elementwise_rules() { return kAtenElementwiseRules; }

}  // namespace strata
