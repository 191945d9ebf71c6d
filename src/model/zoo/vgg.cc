// VGG: 3×3 convolutions, with a pool that halves the map five times; with or without norms.
#include <array>

#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

using Repeats = std::array<std::int64_t, 5>;  // number of convolutions in each stage
constexpr Repeats k11 = {1, 1, 2, 2, 2};
constexpr Repeats k13 = {2, 2, 2, 2, 2};
constexpr Repeats k16 = {2, 2, 3, 3, 3};
constexpr Repeats k19 = {2, 2, 4, 4, 4};
constexpr std::array<std::int64_t, 5> kWidths = {64, 128, 256, 512, 512};

template <const Repeats& kRepeats, bool kNorm>
void vgg(Builder& net, const Arguments& arguments) {
  Sequence features(net, "features", image(net, arguments));
  for (std::size_t stage = 0; stage < kWidths.size(); ++stage) {
    for (std::int64_t i = 0; i < kRepeats[stage]; ++i) {
      features.conv(kWidths[stage], {.kernel = 3, .pad = 1});
      if (kNorm) features.batch_norm();
      features.relu();
    }
    features.max_pool({.kernel = 2, .stride = 2});
  }
  Var x = net.flatten(net.adaptive_avg_pool("avgpool", features.end(), 7));
  x = Sequence(net, "classifier", x)
          .linear(4096)
          .relu()
          .dropout()
          .linear(4096)
          .relu()
          .dropout()
          .linear(arguments.whole("classes"))
          .end();
  net.output("output", x);
}

constexpr Entry entry(std::string_view name, std::string_view summary,
                      void (*build)(Builder&, const Arguments&)) {
  return {name, summary, "VGG", kImageParameters, build, true};
}

constexpr Entry kVggNetworks[] = {
    entry("vgg11", "8 convolutions of 3×3, 3 linear layers, 2014", vgg<k11, false>),
    entry("vgg11_bn", "vgg11 with norms", vgg<k11, true>),
    entry("vgg13", "10 convolutions of 3×3, 3 linear layers, 2014", vgg<k13, false>),
    entry("vgg13_bn", "vgg13 with norms", vgg<k13, true>),
    entry("vgg16", "13 convolutions of 3×3, 3 linear layers, 2014", vgg<k16, false>),
    entry("vgg16_bn", "vgg16 with norms", vgg<k16, true>),
    entry("vgg19", "16 convolutions of 3×3, 3 linear layers, 2014", vgg<k19, false>),
    entry("vgg19_bn", "vgg19 with norms", vgg<k19, true>),
};

}  // namespace

std::span<const Entry> vgg_networks() { return kVggNetworks; }

}  // namespace strata::zoo
