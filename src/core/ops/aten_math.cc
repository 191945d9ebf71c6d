// Functions of PyTorch of one tensor, element by element. Those that ONNX lacks are counted as
// torch's exporter writes them: rsqrt is a root and a reciprocal.
#include "ops/aten_rows.h"
#include "ops/registry.h"

namespace strata {

namespace {

constexpr Example kOne[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTwo[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kThree[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kFour[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kTruth[] = {{"f32[2,3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kRunning[] = {{"f32[2,3]", "dim=1", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kRunningMax[] = {
    {"f32[2,3]", "dim=1", "f32[2,3], i64[2,3]", {.macs = 0, .flops = 6}}};

constexpr OpRule kAtenMathRules[] = {
    aten_like("abs", "Abs", kOne),
    aten_like("absolute", "Abs", kOne),
    aten_like("neg", "Neg", kOne),
    aten_like("negative", "Neg", kOne),
    aten_like("sign", "Sign", kOne),
    aten_like("sgn", "Sign", kOne),
    aten("signbit", adds_per_output<1>, kTruth),
    aten_like("floor", "Floor", kOne),
    aten_like("ceil", "Ceil", kOne),
    aten_like("round", "Round", kOne),
    aten("trunc", adds_per_output<1>, kOne),
    aten("fix", adds_per_output<1>, kOne),
    aten("frac", adds_per_output<2>, kTwo),  // x less its whole part
    aten_like("logical_not", "Not", kTruth),
    aten_like("bitwise_not", "BitwiseNot", kOne),
    aten_like("isnan", "IsNaN", kTruth),
    aten_like("isinf", "IsInf", kTruth),
    aten("isfinite", adds_per_output<1>, kTruth),
    aten("isposinf", adds_per_output<1>, kTruth),
    aten("isneginf", adds_per_output<1>, kTruth),
    aten("nan_to_num", adds_per_output<3>, kThree),  // a choice for each of NaN, inf and -inf
    aten("square", muls_per_output<1>, kOne),
    aten_like("sqrt", "Sqrt", kOne),
    aten("rsqrt", specials_per_output<2>, kTwo),
    aten_like("reciprocal", "Reciprocal", kOne),
    aten_like("exp", "Exp", kOne),
    aten("exp2", specials_per_output<1>, kOne),
    aten("expm1", work_per_output<1, 0, 1>, kTwo),
    aten("special_expm1", work_per_output<1, 0, 1>, kTwo),
    aten_like("log", "Log", kOne),
    aten("log2", specials_per_output<2>, kTwo),   // log(x)/log(2)
    aten("log10", specials_per_output<2>, kTwo),  // log(x)/log(10)
    aten("log1p", work_per_output<1, 0, 1>, kTwo),
    aten("special_log1p", work_per_output<1, 0, 1>, kTwo),
    aten("logit", work_per_output<1, 0, 2>, kThree),  // log(x/(1 - x))
    aten_like("sin", "Sin", kOne),
    aten_like("cos", "Cos", kOne),
    aten_like("tan", "Tan", kOne),
    aten_like("asin", "Asin", kOne),
    aten_like("acos", "Acos", kOne),
    aten_like("atan", "Atan", kOne),
    aten_like("arcsin", "Asin", kOne),
    aten_like("arccos", "Acos", kOne),
    aten_like("arctan", "Atan", kOne),
    aten_like("sinh", "Sinh", kOne),
    aten_like("cosh", "Cosh", kOne),
    aten_like("asinh", "Asinh", kOne),
    aten_like("acosh", "Acosh", kOne),
    aten_like("atanh", "Atanh", kOne),
    aten_like("erf", "Erf", kOne),
    aten_like("special_erf", "Erf", kOne),
    aten("erfc", work_per_output<1, 0, 1>, kTwo),  // 1 - erf(x)
    aten("erfinv", specials_per_output<1>, kOne),
    aten("lgamma", specials_per_output<1>, kOne),
    aten("digamma", specials_per_output<1>, kOne),
    aten("sinc", work_per_output<1, 1, 2>, kFour),  // x = 0: 1, otherwise sin(πx)/πx
    aten("deg2rad", muls_per_output<1>, kOne),
    aten("rad2deg", muls_per_output<1>, kOne),
    aten("cumsum", adds_per_output<1>, kRunning),
    aten("cumprod", muls_per_output<1>, kRunning),
    aten("cummax", adds_per_output<1>, kRunningMax),
    aten("cummin", adds_per_output<1>, kRunningMax),
    // the exponential of each element, their running sum, and its logarithm
    aten("logcumsumexp", work_per_output<1, 0, 2>, kThree),
};

}  // namespace

std::span<const OpRule> aten_math_rules() { return kAtenMathRules; }

}  // namespace strata
