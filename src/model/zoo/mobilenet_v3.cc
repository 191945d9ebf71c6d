// MobileNetV3: inverted residuals, some with squeeze and excitation, and a cheap Swish.
#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr Act kRe = Act::Relu;
constexpr Act kHs = Act::Hardswish;
constexpr float kV3Epsilon = 1e-3F;

struct Bneck {
  std::int64_t kernel, expanded, out;
  bool squeeze;
  Act act;
  std::int64_t stride;
};
constexpr Bneck kV3Small[] = {
    {3, 16, 16, true, kRe, 2},  {3, 72, 24, false, kRe, 2}, {3, 88, 24, false, kRe, 1},
    {5, 96, 40, true, kHs, 2},  {5, 240, 40, true, kHs, 1}, {5, 240, 40, true, kHs, 1},
    {5, 120, 48, true, kHs, 1}, {5, 144, 48, true, kHs, 1}, {5, 288, 96, true, kHs, 2},
    {5, 576, 96, true, kHs, 1}, {5, 576, 96, true, kHs, 1},
};
constexpr Bneck kV3Large[] = {
    {3, 16, 16, false, kRe, 1},  {3, 64, 24, false, kRe, 2},  {3, 72, 24, false, kRe, 1},
    {5, 72, 40, true, kRe, 2},   {5, 120, 40, true, kRe, 1},  {5, 120, 40, true, kRe, 1},
    {3, 240, 80, false, kHs, 2}, {3, 200, 80, false, kHs, 1}, {3, 184, 80, false, kHs, 1},
    {3, 184, 80, false, kHs, 1}, {3, 480, 112, true, kHs, 1}, {3, 672, 112, true, kHs, 1},
    {5, 672, 160, true, kHs, 2}, {5, 960, 160, true, kHs, 1}, {5, 960, 160, true, kHs, 1},
};

Var bneck(Builder& net, std::int64_t number, Var x, const Bneck& row, double width) {
  const auto module = net.module(number, "InvertedResidual");
  const Var input = x;
  const std::int64_t in = net.channels(x);
  const std::int64_t wide = scaled_channels(static_cast<double>(row.expanded) * width);
  const std::int64_t out = scaled_channels(static_cast<double>(row.out) * width);
  const NormAct style{row.act, kV3Epsilon};
  {
    const auto block = net.module("block", "Sequential");
    std::int64_t next = 0;
    if (wide != in) x = conv_norm_act(net, next++, x, wide, {}, style);
    x = conv_norm_act(net, next++, x, wide,
                      {.kernel = row.kernel, .stride = row.stride, .groups = wide}, style);
    if (row.squeeze) {
      const std::int64_t quarter = wide / 4;
      const std::int64_t squeezed = scaled_channels(static_cast<double>(quarter));
      x = squeeze_excitation(net, next++, x, {.channels = squeezed, .gate = Act::Hardsigmoid});
    }
    x = conv_norm_act(net, next, x, out, {}, {Act::None, kV3Epsilon});
  }
  return row.stride == 1 && in == out ? net.add(x, input) : x;
}

void mobilenet_v3(Builder& net, const Arguments& arguments, std::span<const Bneck> rows,
                  std::int64_t last) {
  const double width = arguments.real("width");
  const NormAct style{kHs, kV3Epsilon};
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    x = conv_norm_act(net, 0, x, scaled_channels(16 * width), {.kernel = 3, .stride = 2}, style);
    std::int64_t next = 1;
    for (const Bneck& row : rows) x = bneck(net, next++, x, row, width);
    x = conv_norm_act(net, next, x, 6 * net.channels(x), {}, style);
  }
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 1));
  const auto classifier = net.module("classifier", "Sequential");
  x = net.linear("0", x, scaled_channels(static_cast<double>(last) * width));
  x = net.dropout("2", net.hardswish("1", x));
  net.output("output", net.linear("3", x, arguments.whole("classes")));
}

void v3_small(Builder& net, const Arguments& arguments) {
  mobilenet_v3(net, arguments, kV3Small, 1024);
}
void v3_large(Builder& net, const Arguments& arguments) {
  mobilenet_v3(net, arguments, kV3Large, 1280);
}

constexpr Parameter kV3Parameters[] = {
    kBatch,
    kResolution,
    kClasses,
    {"width", ParameterKind::Real, "1", "factor on the number of channels", 0.01, 100},
    kType};

constexpr Entry kMobilenetV3Networks[] = {
    {"mobilenet_v3_large", "inverted residuals found by search, 2019", "MobileNetV3", kV3Parameters,
     v3_large},
    {"mobilenet_v3_small", "inverted residuals found by search, 2019", "MobileNetV3", kV3Parameters,
     v3_small},
};

}  // namespace

std::span<const Entry> mobilenet_v3_networks() { return kMobilenetV3Networks; }

}  // namespace strata::zoo
