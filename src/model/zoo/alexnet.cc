// AlexNet in one tower.
#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

void alexnet(Builder& net, const Arguments& arguments) {
  constexpr PoolOptions kHalf{.kernel = 3, .stride = 2};
  Var x = Sequence(net, "features", image(net, arguments))
              .conv(64, {.kernel = 11, .stride = 4, .pad = 2})
              .relu()
              .max_pool(kHalf)
              .conv(192, {.kernel = 5, .pad = 2})
              .relu()
              .max_pool(kHalf)
              .conv(384, {.kernel = 3, .pad = 1})
              .relu()
              .conv(256, {.kernel = 3, .pad = 1})
              .relu()
              .conv(256, {.kernel = 3, .pad = 1})
              .relu()
              .max_pool(kHalf)
              .end();
  x = net.flatten(net.adaptive_avg_pool("avgpool", x, 6));
  x = Sequence(net, "classifier", x)
          .dropout()
          .linear(4096)
          .relu()
          .dropout()
          .linear(4096)
          .relu()
          .linear(arguments.whole("classes"))
          .end();
  net.output("output", x);
}

constexpr Entry kAlexnetNetworks[] = {
    {"alexnet", "five convolutions, three linear layers, 2012", "AlexNet", kImageParameters,
     alexnet, true},
};

}  // namespace

std::span<const Entry> alexnet_networks() { return kAlexnetNetworks; }

}  // namespace strata::zoo
