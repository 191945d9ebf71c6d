// Conversions of TFLite: to and from quantized numbers, between types, and of sparse tensors.
#include "ops/tflite_rows.h"

namespace strata {

namespace {

Status converted(ShapeContext& c) {
  c.set(0, TypeInfo::tensor(stated_dtype(c, c.dtype(0)), c.dims(0)));
  return {};
}

// A product and a rounding with the zero point; the type of the input decides which way.
void quantize_cost(CostContext& c) { work_per_output<1, 1, 1>(c); }
void dequantize_cost(CostContext& c) {
  if (is_float(c.dtype(0))) return;  // float16 is converted
  work_per_output<1, 1, 0>(c);
}
Status dequantized(ShapeContext& c) {
  c.set(0, TypeInfo::tensor(stated_dtype(c, DType::F32), c.dims(0)));
  return {};
}

constexpr Example kTfliteQuantize[] = {
    {"f32[2,3]", "dtype=3", "i8[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kTfliteDequantize[] = {
    {"i8[2,3]", "dtype=1", "f32[2,3]", {.macs = 0, .flops = 12}},
    {"f16[2,3]", "dtype=1", "f32[2,3]", {.macs = 0, .flops = 0}},
};
constexpr Example kTfliteCast[] = {{"i32[2,3]", "dtype=1", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteDensify[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};

constexpr OpRule tflite_passing(OpRule rule) {
  rule.passes_weights = true;
  return rule;
}

constexpr OpRule kTfliteQuantRules[] = {
    tflite("QUANTIZE", "", converted, quantize_cost, kTfliteQuantize,
           {.kind = LayerKind::Other, .quantized = Quantized::Quantizes}),
    tflite_passing(tflite("DEQUANTIZE", "", dequantized, dequantize_cost, kTfliteDequantize,
                          {.kind = LayerKind::Other})),
    tflite_passing(tflite("CAST", "Cast", converted, no_arithmetic, kTfliteCast)),
    tflite_passing(tflite("DENSIFY", "", like_input, no_arithmetic, kTfliteDensify)),
};

}  // namespace

std::span<const OpRule> tflite_quant_rules() { return kTfliteQuantRules; }

}  // namespace strata
