// A feature pyramid: the stages of a backbone are brought to the same number of channels, and each
// has the ones above it added.
#include <array>

#include <fmt/format.h>

#include "zoo/detection.h"
#include "zoo/resnet.h"

namespace strata::zoo {

namespace {

constexpr std::int64_t kChannels = 256;

// One convolution, which torchvision wraps in its own module.
Var block(Builder& net, std::string_view list, std::size_t number, Var x, std::int64_t kernel) {
  const auto module = net.module(fmt::format("{}.{}", list, number), "Conv2dNormActivation");
  return net.conv("0", x, kChannels, {.kernel = kernel, .pad = kernel / 2});
}

std::vector<Var> pyramid(Builder& net, std::span<const Var> stages) {
  std::vector<Var> levels(stages.size());
  Var above;
  for (std::size_t i = stages.size(); i-- > 0;) {
    Var x = block(net, "inner_blocks", i, stages[i], 1);
    if (above.id != kNone)
      x = net.add(x, net.resize(above, Pair(net.number(x, 2), net.number(x, 3))));
    levels[i] = block(net, "layer_blocks", i, x, 3);
    above = x;
  }
  return levels;
}

}  // namespace

// The backbone has BatchNorm2d, as torchvision builds it without trained weights. With trained
// weights, it is FrozenBatchNorm2d: the same arithmetic, but its numbers are not parameters.
std::vector<Var> backbone_with_fpn(Builder& net, Var image, TopLevels top) {
  const auto backbone = net.module("backbone", "BackboneWithFPN");
  std::array<Var, 4> stages;
  {
    const auto body = net.module("body", "IntermediateLayerGetter");
    stages = resnet_trunk(net, image);
  }
  const auto fpn = net.module("fpn", "FeaturePyramidNetwork");
  const std::size_t skipped = top == TopLevels::P6P7 ? 1 : 0;
  std::vector<Var> levels = pyramid(net, std::span(stages).subspan(skipped));
  if (top == TopLevels::Pool) {
    const auto extra = net.module("extra_blocks", "LastLevelMaxPool");
    levels.push_back(net.max_pool(levels.back(), {.kernel = 1, .stride = 2}));
  } else {
    const auto extra = net.module("extra_blocks", "LastLevelP6P7");
    const ConvOptions options{.kernel = 3, .stride = 2, .pad = 1};
    levels.push_back(net.conv("p6", levels.back(), kChannels, options));
    levels.push_back(net.conv("p7", net.relu(levels.back()), kChannels, options));
  }
  return levels;
}

}  // namespace strata::zoo
