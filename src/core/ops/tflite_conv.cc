// Convolutions of TFLite: images N×H×W×C, weights O×H×W×I, and of depthwise ones 1×H×W×O.
#include "ops/conv.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

bool is_tflite_depthwise(const NodeView& c) { return c.node().op == "DEPTHWISE_CONV_2D"; }
bool is_tflite_transposed(const NodeView& c) { return c.node().op == "TRANSPOSE_CONV"; }

Recast image_conv(const NodeView& c) {
  Recast other = unchanged(c, "Conv");
  other.is_image = true;
  if (other.inputs.size() > 1) other.inputs[1] = tensor_of(tflite_conv_weights(c));
  return other;
}

// The output's sizes, weights, data and perhaps a bias. The padding is whatever makes the output
// these sizes.
Recast transposed_conv(const NodeView& c) {
  Recast other{"ConvTranspose"};
  other.is_image = true;
  other.inputs = {input_of(c, 2), tensor_of(tflite_conv_weights(c)), input_of(c, 3)};
  return other;
}
Status transposed_conv_shape(ShapeContext& c) {
  auto sizes = dims_from_input(c, 0, "size");
  if (!sizes) return failure(sizes);
  if (*sizes)
    c.set(0, c.dtype(2), std::move(**sizes));
  else
    c.set_unranked(0, c.dtype(2));
  return {};
}

constexpr Example kTfliteConv[] = {
    // 112·112·24 outputs of 27 products each, a bias, and two bounds of the activation.
    {"f32[1,224,224,3], f32[24,3,3,3], f32[24]",
     "strides=2,2 auto_pad=\"SAME_UPPER\" activation=\"RELU6\"",
     "f32[1,112,112,24]",
     {.macs = 301056 * 27, .flops = 301056 * (54 + 1 + 2)}},
    {"i8[1,8,8,4], i8[16,1,1,2], i32[16]",
     "strides=1,1 auto_pad=\"VALID\" group=2",
     "i8[1,8,8,16]",
     {.macs = 1024 * 2}},
    {"f32[N,8,8,4], f32[6,3,3,4]", "strides=1,1 auto_pad=\"VALID\"", "f32[N,6,6,6]"},
};
constexpr Example kTfliteDepthwise[] = {
    // A multiplier of 2: 7·7·64 outputs of 9 products each.
    {"f32[1,7,7,32], f32[1,3,3,64], f32[64]",
     "strides=1,1 auto_pad=\"SAME_UPPER\" group=32",
     "f32[1,7,7,64]",
     {.macs = 3136 * 9, .flops = 3136 * 19}},
};
constexpr Example kTfliteTransposed[] = {
    {"i32[4]={1,32,32,8}, f32[8,2,2,64], f32[1,16,16,64]",
     "strides=2,2 auto_pad=\"SAME_UPPER\"",
     "f32[1,32,32,8]",
     {.macs = 16 * 16 * 64 * 8 * 4}},
};
// 2·2·2 outputs of 8·3 products each.
constexpr Example kTfliteConv3d[] = {
    {"f32[1,4,4,4,3], f32[2,2,2,3,5]", "strides=2,2,2", "f32[1,2,2,2,5]", {.macs = 8 * 5 * 24}},
};

// Weights D×H×W×I×O.
void tflite_conv_3d_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"window and channels", product_of(c.in(1), 0, 4)}});
  bias_adds(c, 2);
  fused_activation(c);
}

// The output's sizes, weights D×H×W×O×I, data and perhaps a bias.
void transposed_conv_3d_cost(CostContext& c) {
  const Expr window = product_of(c.in(1), 0, 4);
  c.macs({{"inputs", c.in_elements(2)}, {"window and outputs", window}});
  bias_adds(c, 3);
  fused_activation(c);
}
// 2·2·2 places of 5 channels, each with 8·3 products.
constexpr Example kTfliteTransposed3d[] = {
    {"i32[5]={1,4,4,4,3}, f32[2,2,2,3,5], f32[1,2,2,2,5]",
     "strides=2,2,2",
     "f32[1,4,4,4,3]",
     {.macs = 8 * 5 * 24}},
};

constexpr Traits kTfliteImages = {
    .kind = LayerKind::Conv, .channels_last = true, .attributes = kConvAttributes};
constexpr Traits kTransposedTraits = {.kind = LayerKind::ConvTranspose,
                                      .bias = 3,
                                      .data = 2,
                                      .channels_last = true,
                                      .attributes = kConvAttributes};

constexpr OpRule kTfliteConvRules[] = {
    tflite_as<"Conv", image_conv>("CONV_2D", kTfliteConv, kTfliteImages),
    tflite_as<"Conv", image_conv>("DEPTHWISE_CONV_2D", kTfliteDepthwise, kTfliteImages),
    tflite("CONV_3D", "", nullptr, tflite_conv_3d_cost, kTfliteConv3d,
           {.kind = LayerKind::Other, .product = Product::Other, .weights = 1, .bias = 2}),
    with_settings(tflite("CONV_3D_TRANSPOSE", "", transposed_conv_shape, transposed_conv_3d_cost,
                         kTfliteTransposed3d,
                         {.kind = LayerKind::Other,
                          .product = Product::Other,
                          .weights = 1,
                          .bias = 3,
                          .data = 2}),
                  slots(0)),
    with_settings(tflite("TRANSPOSE_CONV", "ConvTranspose", transposed_conv_shape,
                         cost_of<transposed_conv>, kTfliteTransposed, kTransposedTraits),
                  slots(0)),
};

}  // namespace

TypeInfo tflite_conv_weights(const NodeView& node) {
  TypeInfo weights = node.in(1);
  if (!weights.ranked || weights.dims.size() != 4) return weights;
  const Dims own = weights.dims;
  if (is_tflite_depthwise(node))
    weights.dims = {own[3], own[0], own[1], own[2]};
  else if (is_tflite_transposed(node))
    weights.dims = {own[3], own[0], own[1], own[2]};
  else
    weights.dims = {own[0], own[3], own[1], own[2]};
  return weights;
}

std::span<const OpRule> tflite_conv_rules() { return kTfliteConvRules; }

}  // namespace strata
