// Convolutions of ncnn. Their weights are read as ONNX has them.
#include "ops/conv.h"
#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr AttributeName kNcnnConvAttributes[] = {
    {Attr::Groups, "group", 1}, {Attr::Kernel, "kernel_shape"}, {Attr::Strides, "strides"},
    {Attr::Pads, "pads"},       {Attr::Dilations, "dilations"},
};
constexpr Traits kNcnnConv = {.kind = LayerKind::Conv, .attributes = kNcnnConvAttributes};
constexpr Traits kNcnnDeconv = {.kind = LayerKind::ConvTranspose,
                                .attributes = kNcnnConvAttributes};

// Weights, offsets, and perhaps a mask and a bias.
Recast deformable_conv(const NodeView& c) {
  Recast other{"DeformConv"};
  other.inputs = {input_of(c, 0), input_of(c, 3), input_of(c, 1), input_of(c, 4), input_of(c, 2)};
  other.attributes.assign(c.node().attributes.begin(), c.node().attributes.end());
  other.opset = 19;
  return other;
}

constexpr Example kNcnnConv1[] = {
    // 24·112·112 outputs of 27 products, a bias and two bounds.
    {"f32[1,3,224,224], f32[24,3,3,3], f32[24]",
     "kernel_shape=3,3 strides=2,2 pads=1,1,1,1 activation=\"Clip\"",
     "f32[1,24,112,112]",
     {.macs = 301056 * 27, .flops = 301056 * (54 + 1 + 2)}},
    {"f32[1,4,8,8], f32[4,4,2,2]", "strides=1,1 pads=0,0,0,0", "f32[1,4,7,7]"},
};
constexpr Example kNcnnDepthwise[] = {{"f32[1,32,7,7], f32[32,1,3,3]",
                                       "group=32 pads=1,1,1,1",
                                       "f32[1,32,7,7]",
                                       {.macs = 1568 * 9, .flops = 1568 * 18}}};
constexpr Example kNcnnConv1d[] = {
    {"f32[1,8,16], f32[4,8,3]", "pads=1,1", "f32[1,4,16]", {.macs = 64 * 24}}};
constexpr Example kNcnnConv3d[] = {
    {"f32[1,2,4,4,4], f32[3,2,2,2,2]", "", "f32[1,3,3,3,3]", {.macs = 81 * 16}}};
constexpr Example kNcnnDeconv2[] = {{"f32[1,64,16,16], f32[64,8,2,2], f32[8]",
                                     "strides=2,2 activation=\"Relu\"",
                                     "f32[1,8,32,32]",
                                     {.macs = 64 * 256 * 32}}};
constexpr Example kNcnnDeconv1d[] = {
    {"f32[1,4,8], f32[4,2,2]", "strides=2,", "f32[1,2,16]", {.macs = 32 * 4}}};
constexpr Example kNcnnDeconv3d[] = {
    {"f32[1,2,2,2,2], f32[2,1,2,2,2]", "strides=2,2,2", "f32[1,1,4,4,4]", {.macs = 16 * 8}}};
constexpr Example kNcnnDeformable[] = {{"f32[1,4,8,8], f32[1,18,8,8], _, f32[2,4,3,3]",
                                        "pads=1,1,1,1 kernel_shape=3,3", "f32[1,2,8,8]"}};

constexpr OpRule kNcnnConvRules[] = {
    ncnn_same<"Conv">("Convolution", kNcnnConv1, kNcnnConv),
    ncnn_same<"Conv">("ConvolutionDepthWise", kNcnnDepthwise, kNcnnConv),
    ncnn_same<"Conv">("Convolution1D", kNcnnConv1d, kNcnnConv),
    ncnn_same<"Conv">("ConvolutionDepthWise1D", kNcnnConv1d, kNcnnConv),
    ncnn_same<"Conv">("Convolution3D", kNcnnConv3d, kNcnnConv),
    ncnn_same<"Conv">("ConvolutionDepthWise3D", kNcnnConv3d, kNcnnConv),
    ncnn_same<"ConvTranspose">("Deconvolution", kNcnnDeconv2, kNcnnDeconv),
    ncnn_same<"ConvTranspose">("DeconvolutionDepthWise", kNcnnDeconv2, kNcnnDeconv),
    ncnn_same<"ConvTranspose">("Deconvolution1D", kNcnnDeconv1d, kNcnnDeconv),
    ncnn_same<"ConvTranspose">("DeconvolutionDepthWise1D", kNcnnDeconv1d, kNcnnDeconv),
    ncnn_same<"ConvTranspose">("Deconvolution3D", kNcnnDeconv3d, kNcnnDeconv),
    ncnn_same<"ConvTranspose">("DeconvolutionDepthWise3D", kNcnnDeconv3d, kNcnnDeconv),
    ncnn("DeformableConv2D", "", shape_of<deformable_conv>, cost_of<deformable_conv>,
         kNcnnDeformable,
         {.kind = LayerKind::Other, .product = Product::Other, .weights = 3, .bias = 4}),
};

}  // namespace

std::span<const OpRule> ncnn_conv_rules() { return kNcnnConvRules; }

}  // namespace strata
