// Layers of PyTorch's int8 modules: the domain `quantized`, and what leads to them. A recording
// unpacks their weights, so that inputs are the data, the weight and perhaps a bias. Changes of
// scale between layers are not counted.
#include "ops/aten_rows.h"
#include "ops/aten_table.h"
#include "ops/conv.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Weights are [outputs, inputs / groups, window…] of both.
void product_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"weights of one", product_from(c.in(1), 1)}});
  bias_adds(c, 2);
}
void product_relu_cost(CostContext& c) {
  product_cost(c);
  adds_per_output<1>(c);
}

constexpr Example kLinear[] = {
    {"f32[3,6], i8[4,6], f32[4]", "", "f32[3,4]", {.macs = 72, .flops = 144 + 12}},
    {"f32[3,6], i8[4,6]", "", "f32[3,4]", {.macs = 72, .flops = 144}},
};
constexpr Example kLinearRelu[] = {
    {"u8[3,6], i8[4,6], f32[4]", "", "u8[3,4]", {.macs = 72, .flops = 144 + 24}}};
constexpr Example kConv[] = {{"u8[1,4,5,5], i8[6,2,3,3], f32[6]",
                              "",
                              "u8[1,6,3,3]",
                              {.macs = 54 * 18, .flops = 2 * 54 * 18 + 54}}};
constexpr Example kConvRelu[] = {{"u8[1,4,5,5], i8[6,2,3,3], f32[6]",
                                  "",
                                  "u8[1,6,3,3]",
                                  {.macs = 54 * 18, .flops = 2 * 54 * 18 + 108}}};
constexpr Example kQuantize[] = {
    {"f32[2,3]", "scale=0.1f zero_point=0 dtype=13", "u8[2,3]", {.macs = 0, .flops = 30}}};
constexpr Example kQuantizeDynamic[] = {{"f32[2,3]", "", "u8[2,3]", {.macs = 0, .flops = 42}}};
constexpr Example kDequantize[] = {{"u8[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kWhole[] = {{"u8[2,3]", "", "u8[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kSum[] = {{"u8[2,3], u8[2,3]", "", "u8[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kSumRelu[] = {{"u8[2,3], u8[2,3]", "", "u8[2,3]", {.macs = 0, .flops = 12}}};

// They are inside of the packed weights, and no node states them.
constexpr AttributeName kPackedAttributes[] = {
    {Attr::Groups, "groups", 1},
    {Attr::Strides, "stride"},
    {Attr::Padding, "padding"},
    {Attr::Dilations, "dilation"},
};
constexpr Traits layer(LayerKind kind, Product product) {
  Traits traits;
  traits.kind = kind;
  traits.product = product;
  traits.weights = 1;
  traits.bias = 2;
  if (product == Product::Conv) traits.attributes = kPackedAttributes;
  return traits;
}
constexpr Traits kLinearLayer = layer(LayerKind::Linear, Product::Other);
constexpr Traits kConvLayer = layer(LayerKind::Conv, Product::Conv);
constexpr Traits kElementwise = {.kind = LayerKind::Elementwise};

constexpr OpRule quantized(std::string_view name, CostRule cost, std::span<const Example> examples,
                           const Traits& traits) {
  OpRule rule = aten(name, cost, examples, traits);
  rule.domain = kQuantizedOps;
  return rule;
}

constexpr OpRule kAtenQuantizedRules[] = {
    // as in the rows of ONNX: a quotient, a rounding, a sum and two comparisons; or a difference
    // and a product
    aten("quantize_per_tensor", work_per_output<4, 0, 1>, kQuantize, kElementwise),
    aten("quantize_per_channel", work_per_output<4, 0, 1>, kQuantize, kElementwise),
    // which looks for the least and the greatest element first
    aten("quantize_per_tensor_dynamic", work_per_output<6, 0, 1>, kQuantizeDynamic, kElementwise),
    aten("dequantize", work_per_output<1, 1, 0>, kDequantize, kElementwise),
    aten("int_repr", no_arithmetic, kWhole, kElementwise),
    quantized("linear", product_cost, kLinear, kLinearLayer),
    quantized("linear_relu", product_relu_cost, kLinearRelu, kLinearLayer),
    quantized("linear_dynamic", product_cost, kLinear, kLinearLayer),
    quantized("linear_relu_dynamic", product_relu_cost, kLinearRelu, kLinearLayer),
    quantized("linear_dynamic_fp16", product_cost, kLinear, kLinearLayer),
    quantized("conv1d", product_cost, kConv, kConvLayer),
    quantized("conv2d", product_cost, kConv, kConvLayer),
    quantized("conv3d", product_cost, kConv, kConvLayer),
    quantized("conv1d_relu", product_relu_cost, kConvRelu, kConvLayer),
    quantized("conv2d_relu", product_relu_cost, kConvRelu, kConvLayer),
    quantized("conv3d_relu", product_relu_cost, kConvRelu, kConvLayer),
    quantized("add", adds_per_output<1>, kSum, kElementwise),
    quantized("add_relu", adds_per_output<2>, kSumRelu, kElementwise),
    quantized("mul", muls_per_output<1>, kSum, kElementwise),
};

}  // namespace

std::span<const OpRule> aten_quantized_rules() { return kAtenQuantizedRules; }

}  // namespace strata
