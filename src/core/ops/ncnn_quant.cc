// Layers of ncnn between floats and 8-bit integers. Scales are stored, and are not weights.
#include "ops/ncnn_rows.h"

namespace strata {

namespace {

template <DType type>
Status in_type(ShapeContext& c) {
  c.set(0, type, c.dims(0));
  return {};
}
// A product, and rounding between two bounds.
void ncnn_quantize_cost(CostContext& c) { work_per_output<3, 1, 0>(c); }
void ncnn_dequantize_cost(CostContext& c) { muls_per_output<1>(c); }
void ncnn_requantize_cost(CostContext& c) {
  work_per_output<3, 2, 0>(c);
  fused_activation(c);
}

constexpr Example kNcnnQuantize[] = {
    {"f32[1,4,8,8]", "", "i8[1,4,8,8]", {.macs = 0, .flops = 1024}}};
constexpr Example kNcnnDequantize[] = {
    {"i32[1,4,8,8]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};
constexpr Example kNcnnRequantize[] = {
    {"i32[1,4,8,8]", "activation=\"Relu\"", "i8[1,4,8,8]", {.macs = 0, .flops = 1536}}};

constexpr OpRule kNcnnQuantRules[] = {
    ncnn("Quantize", "", in_type<DType::I8>, ncnn_quantize_cost, kNcnnQuantize,
         {.quantized = Quantized::Quantizes}),
    ncnn("Dequantize", "", in_type<DType::F32>, ncnn_dequantize_cost, kNcnnDequantize,
         {.quantized = Quantized::Dequantizes}),
    ncnn("Requantize", "", in_type<DType::I8>, ncnn_requantize_cost, kNcnnRequantize,
         {.quantized = Quantized::Computes}),
};

}  // namespace

std::span<const OpRule> ncnn_quant_rules() { return kNcnnQuantRules; }

}  // namespace strata
