// ConvNeXt: a convolutional network with the habits of a Transformer: patches, one wide depthwise
// convolution for the attention, layer norms and an MLP.
#include <array>

#include "zoo/conv_norm.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr NormOptions kConvnextNorm = {.epsilon = 1e-6F};

struct ConvNeXtShape {
  std::array<std::int64_t, 4> widths, blocks;
};

Var channels_last(Builder& net, Var x) { return net.transpose(x, {0, 2, 3, 1}); }
Var channels_first(Builder& net, Var x) { return net.transpose(x, {0, 3, 1, 2}); }

// A layer norm over the channels of an image.
Var layer_norm_2d(Builder& net, std::string_view name, Var x) {
  const auto module = net.module(name, "LayerNorm2d");
  const std::int64_t width = net.channels(x);
  const Var gain = net.weight("weight", {width});
  const Var shift = net.weight("bias", {width});
  const Var normed = net.op("LayerNormalization", {channels_last(net, x), gain, shift},
                            {{"axis", -1}, {"epsilon", kConvnextNorm.epsilon}});
  return channels_first(net, normed);
}

Var cn_block(Builder& net, std::int64_t number, Var x) {
  const auto module = net.module(number, "CNBlock");
  const std::int64_t width = net.channels(x);
  Var y;
  {
    const auto block = net.module("block", "Sequential");
    y = net.conv("0", x, width, {.kernel = 7, .pad = 3, .groups = width});
    {
      const auto permute = net.module("1", "Permute");
      y = channels_last(net, y);
    }
    y = net.linear("3", net.layer_norm("2", y, kConvnextNorm), 4 * width);
    y = net.linear("5", net.gelu("4", y), width);
    const auto permute = net.module("6", "Permute");
    y = channels_first(net, y);
  }
  y = net.mul(net.weight("layer_scale", {width, 1, 1}), y);
  return net.add(stochastic_depth(net, y), x);
}

template <const ConvNeXtShape& kShape>
void convnext(Builder& net, const Arguments& arguments) {
  Var x = image(net, arguments);
  {
    const auto features = net.module("features", "Sequential");
    std::int64_t next = 0;
    for (std::size_t i = 0; i < kShape.widths.size(); ++i) {
      if (i == 0) {
        const auto stem = net.module(next++, "Conv2dNormActivation");
        x = net.conv("0", x, kShape.widths[i], {.kernel = 4, .stride = 4});
        x = layer_norm_2d(net, "1", x);
      } else {
        const auto down = net.module(next++, "Sequential");
        x = layer_norm_2d(net, "0", x);
        x = net.conv("1", x, kShape.widths[i], {.kernel = 2, .stride = 2});
      }
      const auto stage = net.module(next++, "Sequential");
      for (std::int64_t j = 0; j < kShape.blocks[i]; ++j) x = cn_block(net, j, x);
    }
  }
  x = net.adaptive_avg_pool("avgpool", x, 1);
  const auto classifier = net.module("classifier", "Sequential");
  x = layer_norm_2d(net, "0", x);
  {
    const auto flatten = net.module("1", "Flatten");
    x = net.flatten(x);
  }
  net.output("output", net.linear("2", x, arguments.whole("classes")));
}

constexpr ConvNeXtShape kTinyShape{{96, 192, 384, 768}, {3, 3, 9, 3}};
constexpr ConvNeXtShape kSmallShape{{96, 192, 384, 768}, {3, 3, 27, 3}};
constexpr ConvNeXtShape kBaseShape{{128, 256, 512, 1024}, {3, 3, 27, 3}};
constexpr ConvNeXtShape kLargeShape{{192, 384, 768, 1536}, {3, 3, 27, 3}};

constexpr auto kConvnextParameters = image_parameters("224", 32);

constexpr Entry kConvnextNetworks[] = {
    {"convnext_tiny", "wide depthwise convolutions and MLPs, 2022", "ConvNeXt", kConvnextParameters,
     convnext<kTinyShape>},
    {"convnext_small", "convnext_tiny, deeper", "ConvNeXt", kConvnextParameters,
     convnext<kSmallShape>},
    {"convnext_base", "convnext_small, wider", "ConvNeXt", kConvnextParameters,
     convnext<kBaseShape>},
    {"convnext_large", "convnext_base, wider", "ConvNeXt", kConvnextParameters,
     convnext<kLargeShape>},
};

}  // namespace

std::span<const Entry> convnext_networks() { return kConvnextNetworks; }

}  // namespace strata::zoo
