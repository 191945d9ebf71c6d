// ShuffleNetV2: half of the channels bypass the block, the other half is convolved, then the halves
// are interleaved.
#include <array>

#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

constexpr std::array<std::string_view, 3> kStages = {"stage2", "stage3", "stage4"};
constexpr std::array<std::int64_t, 3> kRepeats = {4, 8, 4};

Var depthwise(Builder& net, std::string_view name, Var x, std::int64_t stride) {
  const std::int64_t width = net.channels(x);
  return net.conv(name, x, width,
                  {.kernel = 3, .stride = stride, .pad = 1, .groups = width, .bias = false});
}

// Interleaves the channels of two halves.
Var shuffle(Builder& net, Var x) {
  const std::int64_t width = net.channels(x);
  const Expr batch = net.size(x, 0), h = net.size(x, 2), w = net.size(x, 3);
  x = net.reshape(x, {batch, 2, width / 2, h, w});
  x = net.transpose(x, {0, 2, 1, 3, 4});
  return net.reshape(x, {batch, width, h, w});
}

Var inverted_residual(Builder& net, Var x, std::int64_t out, std::int64_t stride) {
  const std::int64_t width = out / 2;
  Var kept = x, moved = x;
  if (stride == 1) {
    kept = net.slice(x, 1, 0, width);
    moved = net.slice(x, 1, width, out);
  } else {
    const auto branch = net.module("branch1", "Sequential");
    kept = net.batch_norm("1", depthwise(net, "0", kept, stride));
    kept = net.batch_norm("3", net.conv("2", kept, width, {.bias = false}));
    kept = net.relu("4", kept);
  }
  {
    const auto branch = net.module("branch2", "Sequential");
    moved = net.batch_norm("1", net.conv("0", moved, width, {.bias = false}));
    moved = net.relu("2", moved);
    moved = net.batch_norm("4", depthwise(net, "3", moved, stride));
    moved = net.batch_norm("6", net.conv("5", moved, width, {.bias = false}));
    moved = net.relu("7", moved);
  }
  return shuffle(net, net.concat({kept, moved}, 1));
}

struct Widths {
  std::array<std::int64_t, 3> stages;
  std::int64_t last;
};
constexpr Widths k0_5{{48, 96, 192}, 1024};
constexpr Widths k1_0{{116, 232, 464}, 1024};
constexpr Widths k1_5{{176, 352, 704}, 1024};
constexpr Widths k2_0{{244, 488, 976}, 2048};

template <const Widths& kWidths>
void shufflenet(Builder& net, const Arguments& arguments) {
  Var x = Sequence(net, "conv1", image(net, arguments))
              .conv(24, {.kernel = 3, .stride = 2, .pad = 1, .bias = false})
              .batch_norm()
              .relu()
              .end();
  x = net.max_pool("maxpool", x, {.kernel = 3, .stride = 2, .pad = 1});
  for (std::size_t s = 0; s < kStages.size(); ++s) {
    Sequence stage(net, kStages[s], x);
    for (std::int64_t i = 0; i < kRepeats[s]; ++i)
      stage.block("InvertedResidual", [&](Builder&, Var input) {
        return inverted_residual(net, input, kWidths.stages[s], i == 0 ? 2 : 1);
      });
    x = stage.end();
  }
  x = Sequence(net, "conv5", x).conv(kWidths.last, {.bias = false}).batch_norm().relu().end();
  x = net.mean(x, {2, 3});
  net.output("output", net.linear("fc", x, arguments.whole("classes")));
}

constexpr Entry entry(std::string_view name, std::string_view summary,
                      void (*build)(Builder&, const Arguments&)) {
  return {name, summary, "ShuffleNetV2", kImageParameters, build, true};
}

constexpr Entry kShufflenetNetworks[] = {
    entry("shufflenet_v2_x0_5", "shuffled halves, half the width, 2018", shufflenet<k0_5>),
    entry("shufflenet_v2_x1_0", "shuffled halves, 2018", shufflenet<k1_0>),
    entry("shufflenet_v2_x1_5", "shuffled halves, 1.5 times the width, 2018", shufflenet<k1_5>),
    entry("shufflenet_v2_x2_0", "shuffled halves, twice the width, 2018", shufflenet<k2_0>),
};

}  // namespace

std::span<const Entry> shufflenet_networks() { return kShufflenetNetworks; }

}  // namespace strata::zoo
