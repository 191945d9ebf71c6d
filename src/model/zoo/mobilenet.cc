// MobileNetV2: inverted residuals, narrow at the ends, wide and depthwise in the middle.
#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct Stage {
  std::int64_t expand, out, repeats, stride;
};
constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                             {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

constexpr NormAct kRelu6{.act = Act::Relu6};

Var inverted_residual(Builder& net, std::int64_t number, Var x, std::int64_t out,
                      std::int64_t stride, std::int64_t expand) {
  const auto block = net.module(number, "InvertedResidual");
  const Var input = x;
  const std::int64_t in = net.channels(x);
  const std::int64_t wide = in * expand;
  {
    const auto conv = net.module("conv", "Sequential");
    std::int64_t next = 0;
    if (expand != 1) x = conv_norm_act(net, next++, x, wide, {}, kRelu6);
    x = conv_norm_act(net, next++, x, wide, {.kernel = 3, .stride = stride, .groups = wide},
                      kRelu6);
    x = net.conv(expand != 1 ? "2" : "1", x, out, {.bias = false});
    x = net.batch_norm(expand != 1 ? "3" : "2", x);
  }
  return stride == 1 && in == out ? net.add(input, x) : x;
}

void mobilenet_v2(Builder& net, const Arguments& arguments) {
  const double width = arguments.real("width");
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    x = conv_norm_act(net, 0, x, scaled_channels(32 * width), {.kernel = 3, .stride = 2}, kRelu6);
    std::int64_t next = 1;
    for (const Stage& stage : kStages)
      for (std::int64_t i = 0; i < stage.repeats; ++i)
        x = inverted_residual(net, next++, x,
                              scaled_channels(static_cast<double>(stage.out) * width),
                              i == 0 ? stage.stride : 1, stage.expand);
    x = conv_norm_act(net, next, x, scaled_channels(1280 * std::max(1.0, width)), {}, kRelu6);
  }
  x = net.flatten(net.adaptive_avg_pool(x, 1));
  const auto classifier = net.module("classifier", "Sequential");
  x = net.dropout("0", x);
  net.output("output", net.linear("1", x, arguments.whole("classes")));
}

constexpr Parameter kMobilenetParameters[] = {
    kBatch,
    kResolution,
    kClasses,
    {"width", ParameterKind::Real, "1", "factor on the number of channels", 0.01, 100},
    kType};

constexpr Entry kMobilenetNetworks[] = {
    {"mobilenet_v2", "inverted residuals, 2018", "MobileNetV2", kMobilenetParameters, mobilenet_v2,
     true},
};

}  // namespace

std::span<const Entry> mobilenet_networks() { return kMobilenetNetworks; }

}  // namespace strata::zoo
