// SqueezeNet: few channels feed a pair of 1×1 and 3×3 convolutions; there is no linear layer.
#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

// Squeezes to `narrow` channels, then expands to twice `wide`.
void fire(Sequence& features, std::int64_t narrow, std::int64_t wide) {
  features.block("Fire", [&](Builder& net, Var x) {
    x = net.relu("squeeze_activation", net.conv("squeeze", x, narrow));
    const Var small = net.relu("expand1x1_activation", net.conv("expand1x1", x, wide));
    const Var large =
        net.relu("expand3x3_activation", net.conv("expand3x3", x, wide, {.kernel = 3, .pad = 1}));
    return net.concat({small, large}, 1);
  });
}

// The last pool halves the input of the eighth block in version 1.0, of the fifth in 1.1.
template <bool k1_1>
void squeezenet(Builder& net, const Arguments& arguments) {
  constexpr PoolOptions kHalf{.kernel = 3, .stride = 2, .ceil = true};
  Sequence features(net, "features", image(net, arguments));
  features.conv(k1_1 ? 64 : 96, {.kernel = k1_1 ? 3 : 7, .stride = 2}).relu().max_pool(kHalf);
  fire(features, 16, 64);
  fire(features, 16, 64);
  if (k1_1) features.max_pool(kHalf);
  fire(features, 32, 128);
  if (!k1_1) features.max_pool(kHalf);
  fire(features, 32, 128);
  if (k1_1) features.max_pool(kHalf);
  fire(features, 48, 192);
  fire(features, 48, 192);
  fire(features, 64, 256);
  if (!k1_1) features.max_pool(kHalf);
  fire(features, 64, 256);
  const Var x = Sequence(net, "classifier", features.end())
                    .dropout()
                    .conv(arguments.whole("classes"), {})
                    .relu()
                    .adaptive_avg_pool(1)
                    .end();
  net.output("output", net.flatten(x));
}

constexpr Entry kSqueezenetNetworks[] = {
    {"squeezenet1_0", "squeezed to 1×1 and 3×3 pairs, 2016", "SqueezeNet", kImageParameters,
     squeezenet<false>, true},
    {"squeezenet1_1", "squeezenet1_0 with earlier pools", "SqueezeNet", kImageParameters,
     squeezenet<true>, true},
};

}  // namespace

std::span<const Entry> squeezenet_networks() { return kSqueezenetNetworks; }

}  // namespace strata::zoo
