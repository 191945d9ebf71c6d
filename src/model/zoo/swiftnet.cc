// SwiftNet on ResNet-18: a segmenter with a ladder of cheap upsampling steps. The batch norms of
// the encoder are folded into its convolutions, as in deployment.
#include <array>
#include <string_view>

#include "zoo/registry.h"

namespace strata::zoo {
namespace {

// ReLU and convolution; the norm before them is folded away.
Var relu_conv(Builder& net, std::string_view name, Var x, std::int64_t out,
              const ConvOptions& options = {}) {
  const auto block = net.module(name, "_BNReluConv");
  return net.conv("conv", net.relu("relu", x), out, options);
}

// The output of a block, and its value before the last ReLU, where the ladder starts.
struct Stage {
  Var out, skip;
};

Stage basic_block(Builder& net, std::int64_t number, Var x, std::int64_t out, std::int64_t stride) {
  const auto block = net.module(number, "BasicBlock");
  Var y = net.conv("conv1", x, out, {.kernel = 3, .stride = stride, .pad = 1});
  y = net.conv("conv2", net.relu("relu", y), out, {.kernel = 3, .pad = 1});
  if (stride != 1) {
    const auto downsample = net.module("downsample", "Sequential");
    x = net.conv("0", x, out, {.stride = stride, .bias = false});
  }
  const Var sum = net.add(y, x);
  return {net.relu("relu", sum), sum};
}

std::array<Stage, 4> encode(Builder& net, Var x) {
  const auto encoder = net.module("encoder", "ResNet");
  x = net.relu("relu", net.conv("conv1", x, 64, {.kernel = 7, .stride = 2, .pad = 3}));
  x = net.max_pool("maxpool", x, {.kernel = 3, .stride = 2, .pad = 1});
  constexpr std::array<std::string_view, 4> kNames = {"layer1", "layer2", "layer3", "layer4"};
  std::array<Stage, 4> stages;
  std::int64_t width = 64;
  for (std::size_t i = 0; i < stages.size(); ++i, width *= 2) {
    const auto stage = net.module(kNames[i], "Sequential");
    const Var first = basic_block(net, 0, x, width, i == 0 ? 1 : 2).out;
    stages[i] = basic_block(net, 1, first, width, 1);
    x = stages[i].out;
  }
  return stages;
}

// Averages of the whole image over 8×8, 4×4 and 2×2 cells, alongside the features.
Var pyramid(Builder& net, Var x, std::int64_t width) {
  const auto outer = net.module("spp", "SpatialPyramidPooling");
  const auto inner = net.module("spp", "Sequential");
  x = relu_conv(net, "spp_bn", x, width);
  const Pair size(net.number(x, 2), net.number(x, 3));
  constexpr std::array<std::string_view, 3> kNames = {"spp0", "spp1", "spp2"};
  std::array<Var, 4> levels = {x};
  std::int64_t cells = 8;
  for (std::size_t i = 0; i < kNames.size(); ++i, cells /= 2) {
    const Var pooled = net.adaptive_avg_pool(x, cells);
    levels[i + 1] = net.resize(relu_conv(net, kNames[i], pooled, width / 3), size, "linear");
  }
  return relu_conv(net, "spp_fuse", net.concat(levels, 1), width);
}

Var up(Builder& net, std::string_view name, Var x, Var skip, std::int64_t width) {
  const auto block = net.module(name, "_Upsample");
  skip = relu_conv(net, "skip_conv", skip, width);
  const Pair size(net.number(skip, 2), net.number(skip, 3));
  x = net.add(net.resize(x, size, "linear"), skip);
  return relu_conv(net, "blend_conv", x, width, {.kernel = 3, .pad = 1});
}

void swiftnet_rn18(Builder& net, const Arguments& arguments) {
  constexpr std::int64_t kWidth = 128;
  const std::int64_t side = arguments.whole("resolution");
  const Var input =
      net.input("input", {arguments.size("batch"), arguments.whole("channels"), side, side});
  const auto stages = encode(net, input);
  Var x = pyramid(net, stages[3].skip, kWidth);
  {
    const auto decoder = net.module("decoder", "Decoder");
    x = up(net, "up1", x, stages[2].skip, kWidth);
    x = up(net, "up2", x, stages[1].skip, kWidth);
    x = up(net, "up3", x, stages[0].skip, kWidth);
  }
  net.output("output", relu_conv(net, "post", x, arguments.whole("classes")));
}

constexpr Parameter kSwiftnetParameters[] = {
    kBatch,
    {"resolution", ParameterKind::Whole, "1024", "height and width of the image", 256, 65536},
    {"channels", ParameterKind::Whole, "4", "of the image", 1, 4096},
    {"classes", ParameterKind::Whole, "3", "outputs for each pixel"},
    kType};

constexpr Entry kSwiftnetNetworks[] = {
    {"swiftnet_rn18", "segmentation with a ladder of upsampling, 2019", "SwiftNet",
     kSwiftnetParameters, swiftnet_rn18},
};

}  // namespace

std::span<const Entry> swiftnet_networks() { return kSwiftnetNetworks; }

}  // namespace strata::zoo
