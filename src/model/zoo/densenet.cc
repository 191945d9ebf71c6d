// DenseNet: each layer reads the outputs of all layers before it in its block.
#include <array>

#include <fmt/format.h>

#include "zoo/registry.h"

namespace strata::zoo {
namespace {

Var norm_relu_conv(Builder& net, char number, Var x, std::int64_t out, ConvOptions options) {
  const auto named = [&](std::string_view what) { return fmt::format("{}{}", what, number); };
  options.bias = false;
  x = net.relu(named("relu"), net.batch_norm(named("norm"), x));
  return net.conv(named("conv"), x, out, options);
}

Var dense_block(Builder& net, std::int64_t number, Var x, std::int64_t layers,
                std::int64_t growth) {
  const auto block = net.module(fmt::format("denseblock{}", number), "_DenseBlock");
  std::vector<Var> features = {x};
  for (std::int64_t i = 1; i <= layers; ++i) {
    const auto layer = net.module(fmt::format("denselayer{}", i), "_DenseLayer");
    x = norm_relu_conv(net, '1', net.concat(features, 1), 4 * growth, {});
    features.push_back(norm_relu_conv(net, '2', x, growth, {.kernel = 3, .pad = 1}));
  }
  return net.concat(features, 1);
}

Var transition(Builder& net, std::int64_t number, Var x) {
  const auto module = net.module(fmt::format("transition{}", number), "_Transition");
  const std::int64_t half = net.channels(x) / 2;
  x = net.relu("relu", net.batch_norm("norm", x));
  x = net.conv("conv", x, half, {.bias = false});
  return net.avg_pool("pool", x, {.kernel = 2, .stride = 2});
}

using Blocks = std::array<std::int64_t, 4>;  // number of layers in each
constexpr Blocks k121 = {6, 12, 24, 16};
constexpr Blocks k161 = {6, 12, 36, 24};
constexpr Blocks k169 = {6, 12, 32, 32};
constexpr Blocks k201 = {6, 12, 48, 32};

// The first convolution has twice as many channels as a layer adds.
template <const Blocks& kBlocks>
void densenet(Builder& net, const Arguments& arguments) {
  const std::int64_t growth = arguments.whole("growth");
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    x = net.conv("conv0", x, 2 * growth, {.kernel = 7, .stride = 2, .pad = 3, .bias = false});
    x = net.relu("relu0", net.batch_norm("norm0", x));
    x = net.max_pool("pool0", x, {.kernel = 3, .stride = 2, .pad = 1});
    for (std::size_t i = 0; i < kBlocks.size(); ++i) {
      const auto number = static_cast<std::int64_t>(i + 1);
      x = dense_block(net, number, x, kBlocks[i], growth);
      if (i + 1 < kBlocks.size()) x = transition(net, number, x);
    }
    x = net.batch_norm("norm5", x);
  }
  x = net.flatten(net.adaptive_avg_pool(net.relu(x), 1));
  net.output("output", net.linear("classifier", x, arguments.whole("classes")));
}

constexpr std::array<Parameter, 5> parameters(std::string_view growth) {
  return {kBatch, kResolution, kClasses,
          Parameter{"growth", ParameterKind::Whole, growth, "channels that a layer adds", 1, 4096},
          kType};
}
constexpr auto k32 = parameters("32");
constexpr auto k48 = parameters("48");

constexpr std::string_view kClass = "DenseNet";
constexpr std::string_view kSummary = "layers that read all before them, 2016";
constexpr Entry kDensenetNetworks[] = {
    {"densenet121", kSummary, kClass, k32, densenet<k121>, true},
    {"densenet161", kSummary, kClass, k48, densenet<k161>, true},
    {"densenet169", kSummary, kClass, k32, densenet<k169>, true},
    {"densenet201", kSummary, kClass, k32, densenet<k201>, true},
};

}  // namespace

std::span<const Entry> densenet_networks() { return kDensenetNetworks; }

}  // namespace strata::zoo
