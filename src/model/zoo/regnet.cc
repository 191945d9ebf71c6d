// RegNet: residual bottlenecks with grouped convolutions, whose widths follow from four numbers; Y
// adds squeeze and excitation to X.
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

// A row of the paper's table: block i should be w0 + wa·i wide, and is w0·wm^k with a whole k.
struct RegNetShape {
  std::int64_t depth, w0;
  double wa, wm;
  std::int64_t group;  // channels of a group
  bool squeeze;
};

struct RegNetStage {
  std::int64_t width, group, blocks;
};

// Halves are rounded to even, as torch does.
std::vector<RegNetStage> stages_of(const RegNetShape& shape) {
  std::vector<RegNetStage> stages;
  const auto first = static_cast<double>(shape.w0);
  std::int64_t before = 0;
  for (std::int64_t i = 0; i < shape.depth; ++i) {
    const double wanted = first + shape.wa * static_cast<double>(i);
    const double steps = std::nearbyint(std::log(wanted / first) / std::log(shape.wm));
    const auto width =
        8 * static_cast<std::int64_t>(std::nearbyint(first * std::pow(shape.wm, steps) / 8));
    if (width != before) {
      const std::int64_t group = std::min(shape.group, width);
      stages.push_back({scaled_channels(static_cast<double>(width), group), group, 0});
    }
    ++stages.back().blocks;
    before = width;
  }
  return stages;
}

constexpr NormAct kWithRelu{};
constexpr NormAct kWithout{.act = Act::None};

Var res_bottleneck(Builder& net, Var x, const RegNetStage& stage, std::int64_t stride,
                   bool squeeze) {
  const std::int64_t in = net.channels(x);
  const std::int64_t width = stage.width;
  Var shortcut = x;
  if (in != width || stride != 1)
    shortcut = conv_norm_act(net, "proj", x, width, {.stride = stride}, kWithout);
  {
    const auto f = net.module("f", "BottleneckTransform");
    x = conv_norm_act(net, "a", x, width, {}, kWithRelu);
    x = conv_norm_act(net, "b", x, width,
                      {.kernel = 3, .stride = stride, .groups = width / stage.group}, kWithRelu);
    if (squeeze) {
      const auto squeezed = static_cast<std::int64_t>(std::nearbyint(static_cast<double>(in) / 4));
      x = squeeze_excitation(net, "se", x, {.channels = squeezed});
    }
    x = conv_norm_act(net, "c", x, width, {}, kWithout);
  }
  return net.relu("activation", net.add(shortcut, x));
}

template <const RegNetShape& kShape>
void regnet(Builder& net, const Arguments& arguments) {
  Var x = image(net, arguments);
  {
    const auto stem = net.module("stem", "SimpleStemIN");
    x = conv_norm_act(net, x, 32, {.kernel = 3, .stride = 2}, kWithRelu);
  }
  {
    const auto trunk = net.module("trunk_output", "Sequential");
    int number = 1;
    for (const RegNetStage& stage : stages_of(kShape)) {
      const auto any_stage = net.module(fmt::format("block{}", number), "AnyStage");
      for (std::int64_t i = 0; i < stage.blocks; ++i) {
        const auto block = net.module(fmt::format("block{}-{}", number, i), "ResBottleneckBlock");
        x = res_bottleneck(net, x, stage, i == 0 ? 2 : 1, kShape.squeeze);
      }
      ++number;
    }
  }
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 1));
  net.output("output", net.linear("fc", x, arguments.whole("classes")));
}

constexpr RegNetShape kY400{16, 48, 27.89, 2.09, 8, true};
constexpr RegNetShape kY800{14, 56, 38.84, 2.4, 16, true};
constexpr RegNetShape kY1600{27, 48, 20.71, 2.65, 24, true};
constexpr RegNetShape kY3200{21, 80, 42.63, 2.66, 24, true};
constexpr RegNetShape kY8000{17, 192, 76.82, 2.19, 56, true};
constexpr RegNetShape kY16000{18, 200, 106.23, 2.48, 112, true};
constexpr RegNetShape kY32000{20, 232, 115.89, 2.53, 232, true};
constexpr RegNetShape kY128000{27, 456, 160.83, 2.52, 264, true};
constexpr RegNetShape kX400{22, 24, 24.48, 2.54, 16, false};
constexpr RegNetShape kX800{16, 56, 35.73, 2.28, 16, false};
constexpr RegNetShape kX1600{18, 80, 34.01, 2.25, 24, false};
constexpr RegNetShape kX3200{25, 88, 26.31, 2.25, 48, false};
constexpr RegNetShape kX8000{23, 80, 49.56, 2.88, 120, false};
constexpr RegNetShape kX16000{22, 216, 55.59, 2.1, 128, false};
constexpr RegNetShape kX32000{23, 320, 69.86, 2.0, 168, false};

constexpr Entry family_x(std::string_view name, void (*build)(Builder&, const Arguments&)) {
  return {name, "grouped bottlenecks of regular widths, 2020", "RegNet", kImageParameters, build};
}
constexpr Entry family_y(std::string_view name, void (*build)(Builder&, const Arguments&)) {
  return {name, "regnet_x with squeeze and excitation, 2020", "RegNet", kImageParameters, build};
}

constexpr Entry kRegnetNetworks[] = {
    family_x("regnet_x_400mf", regnet<kX400>),    family_x("regnet_x_800mf", regnet<kX800>),
    family_x("regnet_x_1_6gf", regnet<kX1600>),   family_x("regnet_x_3_2gf", regnet<kX3200>),
    family_x("regnet_x_8gf", regnet<kX8000>),     family_x("regnet_x_16gf", regnet<kX16000>),
    family_x("regnet_x_32gf", regnet<kX32000>),   family_y("regnet_y_400mf", regnet<kY400>),
    family_y("regnet_y_800mf", regnet<kY800>),    family_y("regnet_y_1_6gf", regnet<kY1600>),
    family_y("regnet_y_3_2gf", regnet<kY3200>),   family_y("regnet_y_8gf", regnet<kY8000>),
    family_y("regnet_y_16gf", regnet<kY16000>),   family_y("regnet_y_32gf", regnet<kY32000>),
    family_y("regnet_y_128gf", regnet<kY128000>),
};

}  // namespace

std::span<const Entry> regnet_networks() { return kRegnetNetworks; }

}  // namespace strata::zoo
