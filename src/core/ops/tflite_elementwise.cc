// Operators of TFLite on one or two tensors, element by element. Many have a fused activation.
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// a² and 1/√a.
void square_cost(CostContext& c) { muls_per_output<1>(c); }
void rsqrt_cost(CostContext& c) { specials_per_output<2>(c); }
// A quotient that is rounded, and (a - b)².
void floor_div_cost(CostContext& c) { work_per_output<1, 0, 1>(c); }
void squared_difference_cost(CostContext& c) {
  work_per_output<1, 1, 0>(c);
  fused_activation(c);
}

// Rounded to steps between two bounds.
void fake_quant_cost(CostContext& c) { work_per_output<5, 2, 0>(c); }
// √(re² + im²), and the parts, which are copies.
void magnitude_cost(CostContext& c) { work_per_output<1, 2, 1>(c); }
Status real_part(ShapeContext& c) {
  c.set(0, TypeInfo::tensor(c.dtype(0) == DType::C128 ? DType::F64 : DType::F32, c.dims(0)));
  return {};
}
// The elements of another type that have the same bits: a last axis appears or goes.
Status bitcast_shape(ShapeContext& c) {
  const DType type = stated_dtype(c, c.dtype(0));
  Dims dims = c.dims(0);
  const int from = bits(c.dtype(0)), to = bits(type);
  if (from > to && to > 0)
    dims.push_back(from / to);
  else if (from < to && !dims.empty())
    dims.resize(dims.size() - 1);
  c.set(0, type, std::move(dims));
  return {};
}

Status tflite_broadcast(ShapeContext& c) { return broadcast_inputs(c); }

Status not_equal_shape(ShapeContext& c) {
  auto dims = broadcast_dims(c);
  if (!dims) return failure(dims);
  c.set(0, DType::Bool, std::move(*dims));
  return {};
}

constexpr Example kTfliteSum[] = {
    {"f32[2,3,4], f32[4]", "", "f32[2,3,4]", {.macs = 0, .flops = 24}},
    {"i8[2,3], i8[2,3]", "activation=\"RELU\"", "i8[2,3]", {.macs = 0, .flops = 12}},
    {"f32[2,3], f32[2,3]", "activation=\"RELU6\"", "f32[2,3]", {.macs = 0, .flops = 18}},
};
constexpr Example kTfliteTwo[] = {
    {"f32[2,3], f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 6}},
    {"f32[N,3], f32[1,3]", "", "f32[N,3]"},
};
constexpr Example kTfliteRounded[] = {
    {"f32[2,3], f32[3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kTfliteCompared[] = {
    {"f32[2,3], f32[3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteLogic[] = {
    {"bool[2,3], bool[3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteNot[] = {{"bool[2,3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteBits[] = {{"i32[2,3], i32[3]", "", "i32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteOne[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteRsqrt[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kTfliteSelect[] = {
    {"bool[2,1], f32[3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteMany[] = {
    {"f32[2,3], f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};

constexpr Example kTfliteFakeQuant[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 42}}};
constexpr Example kTfliteMagnitude[] = {{"c64[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kTfliteReal[] = {{"c64[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteBitcast[] = {{"f32[2,3]", "dtype=6", "i32[2,3]", {.macs = 0, .flops = 0}},
                                      {"f32[2,3]", "dtype=2", "u8[2,3,4]"},
                                      {"u8[2,4]", "dtype=1", "f32[2]"}};

constexpr OpRule kTfliteElementwiseRules[] = {
    tflite_same<"Add">("ADD", kTfliteSum),
    tflite_same<"Sub">("SUB", kTfliteSum),
    tflite_same<"Mul">("MUL", kTfliteSum),
    tflite_same<"Div">("DIV", kTfliteSum),
    tflite_same<"Pow">("POW", kTfliteTwo),
    tflite_same<"Max">("MAXIMUM", kTfliteTwo),
    tflite_same<"Min">("MINIMUM", kTfliteTwo),
    tflite_same<"Mod">("FLOOR_MOD", kTfliteTwo),
    tflite("FLOOR_DIV", "Div", shape_of_same<"Div">, floor_div_cost, kTfliteRounded),
    tflite("SQUARED_DIFFERENCE", "Sub", tflite_broadcast, squared_difference_cost, kTfliteRounded),
    tflite("ATAN2", "", tflite_broadcast, specials_per_output<1>, kTfliteTwo),
    tflite_same<"Sum">("ADD_N", kTfliteMany),
    tflite_same<"Less">("LESS", kTfliteCompared),
    tflite_same<"LessOrEqual">("LESS_EQUAL", kTfliteCompared),
    tflite_same<"Greater">("GREATER", kTfliteCompared),
    tflite_same<"GreaterOrEqual">("GREATER_EQUAL", kTfliteCompared),
    tflite_same<"Equal">("EQUAL", kTfliteCompared),
    tflite("NOT_EQUAL", "", not_equal_shape, adds_per_output<1>, kTfliteCompared),
    tflite_same<"And">("LOGICAL_AND", kTfliteLogic),
    tflite_same<"Or">("LOGICAL_OR", kTfliteLogic),
    tflite_same<"Not">("LOGICAL_NOT", kTfliteNot),
    tflite_same<"BitwiseXor", 18>("BITWISE_XOR", kTfliteBits),
    tflite("RIGHT_SHIFT", "", tflite_broadcast, adds_per_output<1>, kTfliteBits),
    tflite_same<"Where">("SELECT", kTfliteSelect),
    tflite_same<"Where">("SELECT_V2", kTfliteSelect),
    tflite_same<"Abs">("ABS", kTfliteOne),
    tflite_same<"Neg">("NEG", kTfliteOne),
    tflite_same<"Sqrt">("SQRT", kTfliteOne),
    tflite_same<"Exp">("EXP", kTfliteOne),
    tflite_same<"Log">("LOG", kTfliteOne),
    tflite_same<"Sin">("SIN", kTfliteOne),
    tflite_same<"Cos">("COS", kTfliteOne),
    tflite_same<"Floor">("FLOOR", kTfliteOne),
    tflite_same<"Ceil">("CEIL", kTfliteOne),
    tflite_same<"Round">("ROUND", kTfliteOne),
    tflite_same<"Sign">("SIGN", kTfliteOne),
    tflite("SQUARE", "", like_input, square_cost, kTfliteOne),
    tflite("RSQRT", "", like_input, rsqrt_cost, kTfliteRsqrt),
    tflite("FAKE_QUANT", "", like_input, fake_quant_cost, kTfliteFakeQuant,
           {.quantized = Quantized::Quantizes}),
    tflite("COMPLEX_ABS", "", real_part, magnitude_cost, kTfliteMagnitude),
    tflite("REAL", "", real_part, no_arithmetic, kTfliteReal),
    tflite("IMAG", "", real_part, no_arithmetic, kTfliteReal),
    tflite("BITCAST", "", bitcast_shape, no_arithmetic, kTfliteBitcast),
};

}  // namespace

std::span<const OpRule> tflite_elementwise_rules() { return kTfliteElementwiseRules; }

}  // namespace strata
