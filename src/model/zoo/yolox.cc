// YOLOX: a detector without anchors. CSP blocks, a pyramid up and down again, and a head that keeps
// classes and boxes apart. Modules are named as in the authors' code.
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct YoloxShape {
  double depth, width;     // factors on blocks and channels
  bool depthwise = false;  // 3×3 convolutions in two steps
};

constexpr std::array<std::int64_t, 3> kStrides = {8, 16, 32};
constexpr std::int64_t kBoxNumbers = 4;

// Convolution, norm and SiLU.
struct YoloxConv {
  std::int64_t out, kernel = 1, stride = 1, groups = 1;
};

template <class Name>
Var base_conv(Builder& net, Name name, Var x, const YoloxConv& conv) {
  const auto module = net.module(name, "BaseConv");
  x = net.conv("conv", x, conv.out,
               {.kernel = conv.kernel,
                .stride = conv.stride,
                .pad = (conv.kernel - 1) / 2,
                .groups = conv.groups,
                .bias = false});
  return net.silu("act", net.batch_norm("bn", x, {.epsilon = 1e-3F}));
}

// One convolution or, in the smallest network, a depthwise one and a 1×1.
template <class Name>
Var spatial_conv(Builder& net, Name name, Var x, const YoloxConv& conv, bool depthwise) {
  if (!depthwise) return base_conv(net, name, x, conv);
  const auto module = net.module(name, "DWConv");
  const std::int64_t in = net.channels(x);
  x = base_conv(net, "dconv", x, {in, conv.kernel, conv.stride, in});
  return base_conv(net, "pconv", x, {conv.out});
}

struct Csp {
  std::int64_t out, blocks;
  bool shortcut = false, depthwise = false;
};

// Half of the channels pass by the bottlenecks.
template <class Name>
Var csp_layer(Builder& net, Name name, Var x, const Csp& csp) {
  const auto module = net.module(name, "CSPLayer");
  const std::int64_t hidden = csp.out / 2;
  Var main = base_conv(net, "conv1", x, {hidden});
  const Var aside = base_conv(net, "conv2", x, {hidden});
  {
    const auto blocks = net.module("m", "Sequential");
    for (std::int64_t i = 0; i < csp.blocks; ++i) {
      const auto block = net.module(i, "Bottleneck");
      const Var y = spatial_conv(net, "conv2", base_conv(net, "conv1", main, {hidden}), {hidden, 3},
                                 csp.depthwise);
      main = csp.shortcut ? net.add(y, main) : y;
    }
  }
  return base_conv(net, "conv3", net.concat({main, aside}, 1), {csp.out});
}

// Every second pixel, four times: twice as many channels in each direction.
Var focus(Builder& net, Var x, std::int64_t out) {
  const auto module = net.module("stem", "Focus");
  const std::int64_t h = net.number(x, 2);
  const std::int64_t w = net.number(x, 3);
  std::array<Var, 4> parts;
  for (std::int64_t i = 0; i < 4; ++i) {
    const Var rows = net.slice(x, 2, i % 2, h, 2);
    parts[static_cast<std::size_t>(i)] = net.slice(rows, 3, i / 2, w, 2);
  }
  return base_conv(net, "conv", net.concat(parts, 1), {out, 3});
}

Var spp_bottleneck(Builder& net, Var x) {
  const auto module = net.module(1, "SPPBottleneck");
  const std::int64_t width = net.channels(x);
  x = base_conv(net, "conv1", x, {width / 2});
  std::array<Var, 4> parts = {x};
  {
    const auto pools = net.module("m", "ModuleList");
    constexpr std::array<std::string_view, 3> kNames = {"0", "1", "2"};
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const auto kernel = static_cast<std::int64_t>(5 + 4 * i);
      parts[i + 1] = net.max_pool(kNames[i], x, {.kernel = kernel, .pad = kernel / 2});
    }
  }
  return base_conv(net, "conv2", net.concat(parts, 1), {width});
}

// The maps of 1/8, 1/16 and 1/32 of the image.
std::array<Var, 3> darknet(Builder& net, Var x, const YoloxShape& shape) {
  const auto module = net.module("backbone", "CSPDarknet");
  const auto base = static_cast<std::int64_t>(64 * shape.width);
  const std::int64_t blocks = std::max(1L, std::lrint(3 * shape.depth));
  x = focus(net, x, base);
  std::array<Var, 4> maps;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto stage = net.module(fmt::format("dark{}", i + 2), "Sequential");
    const std::int64_t width = base << (i + 1);
    const bool last = i == 3;
    x = spatial_conv(net, 0, x, {width, 3, 2}, shape.depthwise);
    if (last) x = spp_bottleneck(net, x);
    const std::int64_t own = i == 1 || i == 2 ? 3 * blocks : blocks;
    x = maps[i] = csp_layer(net, last ? 2 : 1, x, {width, own, !last, shape.depthwise});
  }
  return {maps[1], maps[2], maps[3]};
}

// From coarse to fine and back: every map knows the others.
std::array<Var, 3> yolo_pafpn(Builder& net, Var x, const YoloxShape& shape) {
  const auto module = net.module("backbone", "YOLOPAFPN");
  const auto [fine, middle, coarse] = darknet(net, x, shape);
  const std::int64_t blocks = std::lrint(3 * shape.depth);
  const std::int64_t w0 = net.channels(fine), w1 = net.channels(middle), w2 = net.channels(coarse);
  const auto merge = [&](std::string_view name, Var a, Var b, std::int64_t out) {
    return csp_layer(net, name, net.concat({a, b}, 1), {out, blocks, false, shape.depthwise});
  };
  const auto doubled = [&](Var map) {
    const auto upsample = net.module("upsample", "Upsample");
    return net.resize_by(map, 2);
  };
  const Var lateral = base_conv(net, "lateral_conv0", coarse, {w1});
  const Var down = merge("C3_p4", doubled(lateral), middle, w1);
  const Var reduced = base_conv(net, "reduce_conv1", down, {w0});
  const Var out0 = merge("C3_p3", doubled(reduced), fine, w0);
  const Var up0 = spatial_conv(net, "bu_conv2", out0, {w0, 3, 2}, shape.depthwise);
  const Var out1 = merge("C3_n3", up0, reduced, w1);
  const Var up1 = spatial_conv(net, "bu_conv1", out1, {w1, 3, 2}, shape.depthwise);
  return {out0, out1, merge("C3_n4", up1, lateral, w2)};
}

// Boxes, whether something is there, and classes, of every position of one map: N×(5 +
// classes)×h×w.
Var yolox_level(Builder& net, std::size_t level, Var x, std::int64_t classes,
                const YoloxShape& shape) {
  const auto named = [&](std::string_view list) { return fmt::format("{}.{}", list, level); };
  const auto width = static_cast<std::int64_t>(256 * shape.width);
  const auto two_convs = [&](std::string_view list, Var y) {
    const auto convs = net.module(named(list), "Sequential");
    y = spatial_conv(net, 0, y, {width, 3}, shape.depthwise);
    return spatial_conv(net, 1, y, {width, 3}, shape.depthwise);
  };
  x = base_conv(net, std::string_view(named("stems")), x, {width});
  const Var label = net.conv(named("cls_preds"), two_convs("cls_convs", x), classes);
  const Var features = two_convs("reg_convs", x);
  const Var box = net.conv(named("reg_preds"), features, kBoxNumbers);
  const Var object = net.sigmoid(net.conv(named("obj_preds"), features, 1));
  return net.concat({box, object, net.sigmoid(label)}, 1);
}

// A box is told by its distance from its position, and by the logarithm of its sides.
Var yolox_head(Builder& net, const std::array<Var, 3>& maps, std::int64_t classes,
               const YoloxShape& shape) {
  const auto module = net.module("head", "YOLOXHead");
  const Expr batch = net.size(maps[0], 0);
  std::array<Var, 3> levels;
  std::vector<float> grid, strides;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::int64_t h = net.number(maps[i], 2);
    const std::int64_t w = net.number(maps[i], 3);
    levels[i] = net.reshape(yolox_level(net, i, maps[i], classes, shape),
                            {batch, kBoxNumbers + 1 + classes, h * w});
    for (std::int64_t at = 0; at < h * w; ++at) {
      const std::int64_t row = at / w, column = at % w;
      grid.insert(grid.end(), {static_cast<float>(column), static_cast<float>(row)});
      strides.push_back(static_cast<float>(kStrides[i]));
    }
  }
  const Var all = net.transpose(net.concat(levels, 2), {0, 2, 1});
  const std::int64_t sizes[] = {2, 2, 1 + classes};
  const auto parts = net.split(all, 2, sizes);
  const auto rows = static_cast<std::int64_t>(strides.size());
  const Var stride = net.table(strides, {1, rows, 1});
  const Var center = net.mul(net.add(parts[0], net.table(grid, {1, rows, 2})), stride);
  const Var side = net.mul(net.op("Exp", {parts[1]}), stride);
  return net.concat({center, side, parts[2]}, 2);
}

template <const YoloxShape& kShape>
void yolox(Builder& net, const Arguments& arguments) {
  const std::int64_t resolution = arguments.whole("resolution");
  if (resolution % kStrides.back() != 0)
    return net.fail(
        fmt::format("an image of {} is not a multiple of {}", resolution, kStrides.back()));
  const auto maps = yolo_pafpn(net, image(net, arguments), kShape);
  net.output("output", yolox_head(net, maps, arguments.whole("classes"), kShape));
}

constexpr YoloxShape kNano{.depth = 0.33, .width = 0.25, .depthwise = true};
constexpr YoloxShape kYoloxTiny{.depth = 0.33, .width = 0.375};
constexpr YoloxShape kYoloxS{.depth = 0.33, .width = 0.5};
constexpr YoloxShape kYoloxM{.depth = 0.67, .width = 0.75};
constexpr YoloxShape kYoloxL{.depth = 1, .width = 1};
constexpr YoloxShape kYoloxX{.depth = 1.33, .width = 1.25};

constexpr std::array<Parameter, 4> yolox_parameters(std::string_view resolution) {
  return {kBatch,
          Parameter{"resolution", ParameterKind::Whole, resolution,
                    "height and width of the image, a multiple of 32", 32, 8192},
          Parameter{"classes", ParameterKind::Whole, "80", "labels", 1, 65536}, kType};
}
constexpr auto kMobileImage = yolox_parameters("416");
constexpr auto kFullImage = yolox_parameters("640");

constexpr Entry kYoloxNetworks[] = {
    {"yolox_nano", "yolox_tiny with depthwise convolutions, narrower", "YOLOX", kMobileImage,
     yolox<kNano>},
    {"yolox_tiny", "yolox_s, narrower", "YOLOX", kMobileImage, yolox<kYoloxTiny>},
    {"yolox_s", "detector without anchors, 2021", "YOLOX", kFullImage, yolox<kYoloxS>},
    {"yolox_m", "yolox_s, deeper and wider", "YOLOX", kFullImage, yolox<kYoloxM>},
    {"yolox_l", "yolox_m, deeper and wider", "YOLOX", kFullImage, yolox<kYoloxL>},
    {"yolox_x", "yolox_l, deeper and wider", "YOLOX", kFullImage, yolox<kYoloxX>},
};

}  // namespace

std::span<const Entry> yolox_networks() { return kYoloxNetworks; }

}  // namespace strata::zoo
