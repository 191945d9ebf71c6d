// EfficientNet: inverted residuals with squeeze and excitation, whose width, depth and resolution
// grow together; its second version begins with ordinary convolutions.
#include <array>
#include <cmath>

#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct MbStage {
  bool fused;  // one 3×3 convolution for the 1×1 and the depthwise one
  std::int64_t expand, kernel, stride, out, layers;
};

constexpr MbStage kV1[] = {
    {false, 1, 3, 1, 16, 1},  {false, 6, 3, 2, 24, 2},  {false, 6, 5, 2, 40, 2},
    {false, 6, 3, 2, 80, 3},  {false, 6, 5, 1, 112, 3}, {false, 6, 5, 2, 192, 4},
    {false, 6, 3, 1, 320, 1},
};
constexpr MbStage kV2Small[] = {
    {true, 1, 3, 1, 24, 2},   {true, 4, 3, 2, 48, 4},   {true, 4, 3, 2, 64, 4},
    {false, 4, 3, 2, 128, 6}, {false, 6, 3, 1, 160, 9}, {false, 6, 3, 2, 256, 15},
};
constexpr MbStage kV2Medium[] = {
    {true, 1, 3, 1, 24, 3},   {true, 4, 3, 2, 48, 5},    {true, 4, 3, 2, 80, 5},
    {false, 4, 3, 2, 160, 7}, {false, 6, 3, 1, 176, 14}, {false, 6, 3, 2, 304, 18},
    {false, 6, 3, 1, 512, 5},
};
constexpr MbStage kV2Large[] = {
    {true, 1, 3, 1, 32, 4},    {true, 4, 3, 2, 64, 7},    {true, 4, 3, 2, 96, 7},
    {false, 4, 3, 2, 192, 10}, {false, 6, 3, 1, 224, 19}, {false, 6, 3, 2, 384, 25},
    {false, 6, 3, 1, 640, 7},
};

struct EfficientNetShape {
  std::span<const MbStage> stages = kV1;
  double width = 1, depth = 1;  // factors on channels and layers
  std::int64_t stem = 32;
  std::int64_t last = 0;  // channels of the last convolution; 0: four times those before it
  float epsilon = 1e-5F;
};

Var mb_conv(Builder& net, Var x, std::int64_t out, const MbStage& stage, const NormAct& silu) {
  const auto block = net.module("block", "Sequential");
  const std::int64_t in = net.channels(x);
  const std::int64_t wide = in * stage.expand;
  const NormAct plain{.act = Act::None, .epsilon = silu.epsilon};
  const ConvOptions spatial{.kernel = stage.kernel, .stride = stage.stride};
  std::int64_t next = 0;
  if (stage.fused) {
    if (stage.expand == 1) return conv_norm_act(net, next, x, out, spatial, silu);
    x = conv_norm_act(net, next++, x, wide, spatial, silu);
    return conv_norm_act(net, next, x, out, {}, plain);
  }
  if (stage.expand != 1) x = conv_norm_act(net, next++, x, wide, {}, silu);
  ConvOptions depthwise = spatial;
  depthwise.groups = wide;
  x = conv_norm_act(net, next++, x, wide, depthwise, silu);
  x = squeeze_excitation(net, next++, x,
                         {.channels = std::max<std::int64_t>(1, in / 4), .act = Act::Silu});
  return conv_norm_act(net, next, x, out, {}, plain);
}

Var mb_stage(Builder& net, std::int64_t number, Var x, MbStage stage,
             const EfficientNetShape& shape) {
  const auto module = net.module(number, "Sequential");
  const NormAct silu{.act = Act::Silu, .epsilon = shape.epsilon};
  const std::int64_t out = scaled_channels(static_cast<double>(stage.out) * shape.width);
  const auto layers =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(stage.layers) * shape.depth));
  for (std::int64_t i = 0; i < layers; ++i, stage.stride = 1) {
    const auto layer = net.module(i, stage.fused ? "FusedMBConv" : "MBConv");
    const Var y = mb_conv(net, x, out, stage, silu);
    const bool shortcut = stage.stride == 1 && net.channels(x) == out;
    x = shortcut ? net.add(stochastic_depth(net, y), x) : y;
  }
  return x;
}

template <const EfficientNetShape& kShape>
void efficientnet(Builder& net, const Arguments& arguments) {
  const NormAct silu{.act = Act::Silu, .epsilon = kShape.epsilon};
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    const std::int64_t stem = scaled_channels(static_cast<double>(kShape.stem) * kShape.width);
    x = conv_norm_act(net, 0, x, stem, {.kernel = 3, .stride = 2}, silu);
    std::int64_t next = 1;
    for (const MbStage& stage : kShape.stages) x = mb_stage(net, next++, x, stage, kShape);
    const std::int64_t last = kShape.last == 0 ? 4 * net.channels(x) : kShape.last;
    x = conv_norm_act(net, next, x, last, {}, silu);
  }
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 1));
  const auto classifier = net.module("classifier", "Sequential");
  net.output("output", net.linear("1", net.dropout("0", x), arguments.whole("classes")));
}

constexpr EfficientNetShape kB0{};
constexpr EfficientNetShape kB1{.depth = 1.1};
constexpr EfficientNetShape kB2{.width = 1.1, .depth = 1.2};
constexpr EfficientNetShape kB3{.width = 1.2, .depth = 1.4};
constexpr EfficientNetShape kB4{.width = 1.4, .depth = 1.8};
constexpr EfficientNetShape kB5{.width = 1.6, .depth = 2.2, .epsilon = 1e-3F};
constexpr EfficientNetShape kB6{.width = 1.8, .depth = 2.6, .epsilon = 1e-3F};
constexpr EfficientNetShape kB7{.width = 2.0, .depth = 3.1, .epsilon = 1e-3F};
constexpr EfficientNetShape kS{.stages = kV2Small, .stem = 24, .last = 1280, .epsilon = 1e-3F};
constexpr EfficientNetShape kM{.stages = kV2Medium, .stem = 24, .last = 1280, .epsilon = 1e-3F};
constexpr EfficientNetShape kL{.stages = kV2Large, .stem = 32, .last = 1280, .epsilon = 1e-3F};

// The sides of the images that torchvision's trained networks take.
constexpr auto kAt224 = image_parameters("224");
constexpr auto kAt240 = image_parameters("240");
constexpr auto kAt288 = image_parameters("288");
constexpr auto kAt300 = image_parameters("300");
constexpr auto kAt380 = image_parameters("380");
constexpr auto kAt384 = image_parameters("384");
constexpr auto kAt456 = image_parameters("456");
constexpr auto kAt480 = image_parameters("480");
constexpr auto kAt528 = image_parameters("528");
constexpr auto kAt600 = image_parameters("600");

constexpr Entry of_family(std::string_view name, std::string_view summary,
                          std::span<const Parameter> parameters,
                          void (*build)(Builder&, const Arguments&)) {
  return {name, summary, "EfficientNet", parameters, build};
}

constexpr Entry kEfficientnetNetworks[] = {
    of_family("efficientnet_b0", "inverted residuals found by search, 2019", kAt224,
              efficientnet<kB0>),
    of_family("efficientnet_b1", "efficientnet_b0, scaled up once", kAt240, efficientnet<kB1>),
    of_family("efficientnet_b2", "efficientnet_b0, scaled up twice", kAt288, efficientnet<kB2>),
    of_family("efficientnet_b3", "efficientnet_b0, scaled up 3 times", kAt300, efficientnet<kB3>),
    of_family("efficientnet_b4", "efficientnet_b0, scaled up 4 times", kAt380, efficientnet<kB4>),
    of_family("efficientnet_b5", "efficientnet_b0, scaled up 5 times", kAt456, efficientnet<kB5>),
    of_family("efficientnet_b6", "efficientnet_b0, scaled up 6 times", kAt528, efficientnet<kB6>),
    of_family("efficientnet_b7", "efficientnet_b0, scaled up 7 times", kAt600, efficientnet<kB7>),
    of_family("efficientnet_v2_s", "first stages without depthwise convolutions, 2021", kAt384,
              efficientnet<kS>),
    of_family("efficientnet_v2_m", "efficientnet_v2_s, deeper", kAt480, efficientnet<kM>),
    of_family("efficientnet_v2_l", "efficientnet_v2_s, deeper and wider", kAt480, efficientnet<kL>),
};

}  // namespace

std::span<const Entry> efficientnet_networks() { return kEfficientnetNetworks; }

}  // namespace strata::zoo
