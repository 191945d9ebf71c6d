// Convolutions of PyTorch: input, weight, bias.
#include "ops/aten_rows.h"
#include "ops/conv.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

bool is_transposed(const NodeView& c) { return c.integer("transposed", 0) != 0; }

void convolution_cost(CostContext& c) { cost_as(c, is_transposed(c) ? "ConvTranspose" : "Conv"); }

LayerKind convolution_kind(const NodeView& c) {
  return is_transposed(c) ? LayerKind::ConvTranspose : LayerKind::Conv;
}

// The gradients that are asked for: of the input and of the weight as many products as there are
// forwards, of the bias a sum. Inputs: gradient, input, weight.
void convolution_backward_cost(CostContext& c) {
  const auto asked = c.integers("output_mask");
  const auto wants = [&](std::size_t i) { return i >= asked.size() || asked[i] != 0; };
  const Expr images = c.in_elements(is_transposed(c) ? 1 : 0);
  for (std::size_t i = 0; i < 2; ++i)
    if (wants(i))
      c.macs({{"outputs", images},
              {"channels in a group", size_at(c.in(2), 1)},
              {"window", product_from(c.in(2), 2)}});
  if (wants(2)) c.adds({{"gradients summed for the bias", c.in_elements(0)}});
}

void col2im_cost(CostContext& c) { c.adds({{"columns' elements", c.in_elements(0)}}); }

constexpr Example kConv1d[] = {{"f32[2,4,10], f32[8,4,3]",
                                "stride=1, padding=0, dilation=2, groups=1",
                                "f32[2,8,6]",
                                {.macs = 2 * 8 * 6 * 4 * 3}}};
constexpr Example kConv2d[] = {
    {"f32[1,3,224,224], f32[64,3,7,7], _",
     "stride=2,2 padding=3,3 dilation=1,1 groups=1",
     "f32[1,64,112,112]",
     {.macs = 118013952, .flops = 236027904}},
    // Depthwise, with bias: 7·7·32 outputs of 9 MACs and one addition.
    {"f32[1,32,7,7], f32[32,1,3,3], f32[32]",
     "stride=1,1 padding=1,1 dilation=1,1 groups=32",
     "f32[1,32,7,7]",
     {.macs = 14112, .flops = 29792}},
    {"f32[N,3,H,W], f32[8,3,3,3]", "padding=\"same\"", "f32[N,8,H,W]"},
};
constexpr Example kConv3d[] = {{"f32[1,1,4,4,4], f32[2,1,2,2,2]",
                                "stride=1,1,1 padding=0,0,0 dilation=1,1,1 groups=1",
                                "f32[1,2,3,3,3]",
                                {.macs = 432}}};
constexpr Example kTranspose1d[] = {{"f32[1,4,5], f32[4,3,4], f32[6]",
                                     "stride=2, padding=1, groups=2",
                                     "f32[1,6,10]",
                                     {.macs = 4 * 5 * 3 * 4}}};
constexpr Example kTranspose2d[] = {{"f32[1,64,16,16], f32[64,32,2,2]",
                                     "stride=2,2 padding=0,0 groups=1",
                                     "f32[1,32,32,32]",
                                     {.macs = 2097152}}};
constexpr Example kTranspose3d[] = {
    {"f32[1,2,3,3,3], f32[2,4,2,2,2]", "stride=2,2,2", "f32[1,4,6,6,6]", {.macs = 2 * 27 * 4 * 8}}};
constexpr Example kConvolution[] = {
    {"f32[1,32,7,7], f32[32,1,3,3], f32[32]",
     "stride=1,1 padding=1,1 dilation=1,1 transposed=0 output_padding=0,0 groups=32",
     "f32[1,32,7,7]",
     {.macs = 14112, .flops = 29792}},
    {"f32[1,64,16,16], f32[64,32,2,2], _",
     "stride=2,2 padding=0,0 dilation=1,1 transposed=1 output_padding=0,0 groups=1",
     "f32[1,32,32,32]",
     {.macs = 2097152}},
};
// 4·4·8 outputs forwards, of 3·9 products each, twice; and their sum for the bias.
constexpr Example kConvolutionBackward[] = {
    {"f32[1,8,4,4], f32[1,3,6,6], f32[8,3,3,3]",
     "bias_sizes=8, stride=1,1 padding=0,0 transposed=0 groups=1 output_mask=1,1,1",
     "f32[1,3,6,6], f32[8,3,3,3], f32[8]",
     {.macs = 2 * 3456, .flops = 4 * 3456 + 128}},
    {"f32[1,8,4,4], f32[1,3,6,6], f32[8,3,3,3]",
     "transposed=0 output_mask=0,1,0",
     "_, f32[8,3,3,3], _",
     {.macs = 3456, .flops = 2 * 3456}},
};
constexpr Example kCol2Im[] = {
    {"f32[1,5,5]", "output_size=5,5 kernel_size=1,5", "f32[1,1,5,5]", {.macs = 0, .flops = 25}}};
constexpr Example kIm2Col[] = {
    {"f32[1,2,4,4]", "kernel_size=2,2 stride=2,2", "f32[1,8,4]", {.macs = 0, .flops = 0}}};

constexpr AttributeName kAtenConvAttributes[] = {
    {Attr::Groups, "groups", 1},
    {Attr::Strides, "stride"},
    {Attr::Padding, "padding"},
    {Attr::Dilations, "dilation"},
};
constexpr Traits kConvTraits = {.attributes = kAtenConvAttributes};
constexpr Traits kEither = {.kind_of = convolution_kind, .attributes = kAtenConvAttributes};

constexpr OpRule kAtenConvRules[] = {
    aten_like("conv1d", "Conv", kConv1d, kConvTraits),
    aten_like("conv2d", "Conv", kConv2d, kConvTraits),
    aten_like("conv3d", "Conv", kConv3d, kConvTraits),
    aten_like("conv_transpose1d", "ConvTranspose", kTranspose1d, kConvTraits),
    aten_like("conv_transpose2d", "ConvTranspose", kTranspose2d, kConvTraits),
    aten_like("conv_transpose3d", "ConvTranspose", kTranspose3d, kConvTraits),
    aten_as("convolution", "Conv", convolution_cost, kConvolution, kEither),
    aten_as("_convolution", "Conv", convolution_cost, kConvolution, kEither),
    aten("convolution_backward", convolution_backward_cost, kConvolutionBackward,
         {.kind = LayerKind::Other, .product = Product::Other}),
    aten("col2im", col2im_cost, kCol2Im, {.kind = LayerKind::Other, .product = Product::None}),
    aten("im2col", no_arithmetic, kIm2Col, {.kind = LayerKind::Other, .product = Product::None}),
};

}  // namespace

std::span<const OpRule> aten_conv_rules() { return kAtenConvRules; }

}  // namespace strata
