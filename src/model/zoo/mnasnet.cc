// MNASNet (its B1 form): stacks of inverted residuals found by a search.
#include <array>

#include "zoo/blocks.h"
#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct Stack {
  std::int64_t out, kernel, stride, expand, repeats;
};
constexpr Stack kStacks[] = {{24, 3, 2, 3, 3}, {40, 5, 2, 3, 3},  {80, 5, 2, 6, 3},
                             {96, 3, 1, 6, 2}, {192, 5, 2, 6, 4}, {320, 3, 1, 6, 1}};

Var inverted_residual(Builder& net, Var x, const Stack& stack, std::int64_t out,
                      std::int64_t stride) {
  const std::int64_t wide = net.channels(x) * stack.expand;
  const Var y = Sequence(net, "layers", x)
                    .conv(wide, {.bias = false})
                    .batch_norm()
                    .relu()
                    .conv(wide, {.kernel = stack.kernel,
                                 .stride = stride,
                                 .pad = stack.kernel / 2,
                                 .groups = wide,
                                 .bias = false})
                    .batch_norm()
                    .relu()
                    .conv(out, {.bias = false})
                    .batch_norm()
                    .end();
  return stride == 1 && net.channels(x) == out ? net.add(y, x) : y;
}

void mnasnet(Builder& net, const Arguments& arguments) {
  const double width = arguments.real("width");
  const double stem_width = arguments.word("stem") == "scaled" ? width : 1;
  const std::int64_t stem = scaled_channels(32 * stem_width);
  Sequence layers(net, "layers", image(net, arguments));
  layers.conv(stem, {.kernel = 3, .stride = 2, .pad = 1, .bias = false}).batch_norm().relu();
  layers.conv(stem, {.kernel = 3, .pad = 1, .groups = stem, .bias = false}).batch_norm().relu();
  layers.conv(scaled_channels(16 * stem_width), {.bias = false}).batch_norm();
  for (const Stack& stack : kStacks) {
    const std::int64_t out = scaled_channels(static_cast<double>(stack.out) * width);
    Sequence blocks(net, layers.take_number(), layers.now());
    for (std::int64_t i = 0; i < stack.repeats; ++i)
      blocks.block("_InvertedResidual", [&](Builder&, Var x) {
        return inverted_residual(net, x, stack, out, i == 0 ? stack.stride : 1);
      });
    layers.then(blocks.end());
  }
  layers.conv(1280, {.bias = false}).batch_norm().relu();
  const Var x = net.mean(layers.end(), {2, 3});
  net.output("output",
             Sequence(net, "classifier", x).dropout().linear(arguments.whole("classes")).end());
}

// Until mid-2020, the stem had 32 and 16 channels at any width.
constexpr std::array<Parameter, 6> parameters(std::string_view width) {
  return {
      kBatch,
      kResolution,
      kClasses,
      Parameter{"width", ParameterKind::Real, width, "factor on the number of channels", 0.01, 100},
      Parameter{"stem", ParameterKind::Choice, "fixed",
                "whether the width scales the first three convolutions, as torchvision does "
                "since 2020",
                0, 0, "fixed|scaled"},
      kType};
}
constexpr auto k0_5 = parameters("0.5");
constexpr auto k0_75 = parameters("0.75");
constexpr auto k1_0 = parameters("1");
constexpr auto k1_3 = parameters("1.3");

constexpr Entry kMnasnetNetworks[] = {
    {"mnasnet0_5", "mnasnet1_0 at half the width", "MNASNet", k0_5, mnasnet, true},
    {"mnasnet0_75", "mnasnet1_0 at 0.75 of the width", "MNASNet", k0_75, mnasnet, true},
    {"mnasnet1_0", "inverted residuals found by search, 2018", "MNASNet", k1_0, mnasnet, true},
    {"mnasnet1_3", "mnasnet1_0 at 1.3 of the width", "MNASNet", k1_3, mnasnet, true},
};

}  // namespace

std::span<const Entry> mnasnet_networks() { return kMnasnetNetworks; }

}  // namespace strata::zoo
