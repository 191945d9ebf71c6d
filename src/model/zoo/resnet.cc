// ResNet, its grouped form ResNeXt and its wide form: blocks that add to their input.
#include "zoo/resnet.h"

#include <fmt/format.h>

#include "zoo/registry.h"

namespace strata::zoo {

Var plain_norm(Builder& net, std::string_view name, Var x) { return net.batch_norm(name, x); }

namespace {

struct Block {
  std::int64_t width;  // width of the stage: 64, 128, 256, 512
  std::int64_t stride;
};

// Two or three convolutions. The block has one ReLU module, which is called after each.
Var residual(Builder& net, Var x, const ResNetShape& shape, const Block& block) {
  const std::int64_t out = shape.bottleneck ? 4 * block.width : block.width;
  const Var input = x;
  if (shape.bottleneck) {
    const std::int64_t inner = block.width * shape.group_width / 64 * shape.groups;
    x = net.conv("conv1", x, inner, {.bias = false});
    x = net.relu("relu", shape.norm(net, "bn1", x));
    x = net.conv(
        "conv2", x, inner,
        {.kernel = 3, .stride = block.stride, .pad = 1, .groups = shape.groups, .bias = false});
    x = net.relu("relu", shape.norm(net, "bn2", x));
    x = net.conv("conv3", x, out, {.bias = false});
    x = shape.norm(net, "bn3", x);
  } else {
    x = net.conv("conv1", x, out, {.kernel = 3, .stride = block.stride, .pad = 1, .bias = false});
    x = net.relu("relu", shape.norm(net, "bn1", x));
    x = net.conv("conv2", x, out, {.kernel = 3, .pad = 1, .bias = false});
    x = shape.norm(net, "bn2", x);
  }
  Var shortcut = input;
  if (block.stride != 1 || net.channels(input) != out) {
    const auto downsample = net.module("downsample", "Sequential");
    shortcut = net.conv("0", input, out, {.stride = block.stride, .bias = false});
    shortcut = shape.norm(net, "1", shortcut);
  }
  return net.relu("relu", net.add(x, shortcut));
}

}  // namespace

std::array<Var, 4> resnet_trunk(Builder& net, Var x, const ResNetShape& shape) {
  x = net.conv("conv1", x, 64, {.kernel = 7, .stride = 2, .pad = 3, .bias = false});
  x = net.relu("relu", shape.norm(net, "bn1", x));
  x = net.max_pool("maxpool", x, {.kernel = 3, .stride = 2, .pad = 1});
  constexpr std::array<std::string_view, 4> kStages = {"layer1", "layer2", "layer3", "layer4"};
  std::array<Var, 4> outputs;
  std::int64_t width = 64;
  for (std::size_t s = 0; s < kStages.size(); ++s, width *= 2) {
    const auto stage = net.module(kStages[s], "Sequential");
    for (std::int64_t i = 0; i < shape.blocks[s]; ++i) {
      const auto block = net.module(i, shape.bottleneck ? "Bottleneck" : "BasicBlock");
      x = residual(net, x, shape, {width, s > 0 && i == 0 ? 2 : 1});
    }
    outputs[s] = x;
  }
  return outputs;
}

namespace {

void resnet(Builder& net, const Arguments& arguments, const ResNetShape& shape) {
  Var x = resnet_trunk(net, image(net, arguments), shape)[3];
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 1));
  net.output("output", net.linear("fc", x, arguments.whole("classes")));
}

template <const ResNetShape& kShape>
void build(Builder& net, const Arguments& arguments) {
  resnet(net, arguments, kShape);
}

constexpr ResNetShape k18{.bottleneck = false, .blocks = {2, 2, 2, 2}};
constexpr ResNetShape k34{.bottleneck = false, .blocks = {3, 4, 6, 3}};
constexpr ResNetShape k50{};
constexpr ResNetShape k101{.blocks = {3, 4, 23, 3}};
constexpr ResNetShape k152{.blocks = {3, 8, 36, 3}};
constexpr ResNetShape kNext50{.groups = 32, .group_width = 4};
constexpr ResNetShape kNext101{.blocks = {3, 4, 23, 3}, .groups = 32, .group_width = 8};
constexpr ResNetShape kWide50{.group_width = 128};
constexpr ResNetShape kWide101{.blocks = {3, 4, 23, 3}, .group_width = 128};

constexpr Entry entry(std::string_view name, std::string_view summary,
                      void (*build)(Builder&, const Arguments&)) {
  return {name, summary, "ResNet", kImageParameters, build, true};
}

constexpr Entry kResnetNetworks[] = {
    entry("resnet18", "residual blocks of two convolutions, 2015", build<k18>),
    entry("resnet34", "residual blocks of two convolutions, 2015", build<k34>),
    entry("resnet50", "residual bottlenecks, 2015", build<k50>),
    entry("resnet101", "residual bottlenecks, 2015", build<k101>),
    entry("resnet152", "residual bottlenecks, 2015", build<k152>),
    entry("resnext50_32x4d", "bottlenecks of 32 groups of 4 channels, 2016", build<kNext50>),
    entry("resnext101_32x8d", "bottlenecks of 32 groups of 8 channels, 2016", build<kNext101>),
    entry("wide_resnet50_2", "bottlenecks of twice the width, 2016", build<kWide50>),
    entry("wide_resnet101_2", "bottlenecks of twice the width, 2016", build<kWide101>),
};

}  // namespace

std::span<const Entry> resnet_networks() { return kResnetNetworks; }

}  // namespace strata::zoo
