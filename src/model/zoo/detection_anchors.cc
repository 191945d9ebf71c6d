#include <cmath>

#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr float kRatios[kAspectRatios] = {0.5F, 1.0F, 2.0F};  // height over width

// The anchors of a position at 0, 0, in whole pixels; halves are rounded to even.
std::vector<float> cell_anchors(AnchorSizes sizes) {
  std::vector<float> corners;
  for (const float ratio : kRatios) {
    const float tall = std::sqrt(ratio);
    const float wide = 1 / tall;
    for (const std::int64_t size : sizes) {
      const float w = std::nearbyint(wide * static_cast<float>(size) / 2);
      const float h = std::nearbyint(tall * static_cast<float>(size) / 2);
      corners.insert(corners.end(), {-w, -h, w, h});
    }
  }
  return corners;
}

// 0, step, 2·step, …: the image coordinates of the positions along one axis.
Var positions(Builder& net, std::int64_t count, std::int64_t image) {
  const std::int64_t step = image / count;
  const Var at = net.op("Range", {net.integer(0), net.integer(count * step), net.integer(step)});
  return net.cast(at, net.dtype());
}

Var level_anchors(Builder& net, Var feature, AnchorSizes sizes, Pair image) {
  const std::int64_t h = net.number(feature, 2);
  const std::int64_t w = net.number(feature, 3);
  constexpr float kIsX[] = {1, 0, 1, 0};
  constexpr float kIsY[] = {0, 1, 0, 1};
  const Var x = net.reshape(positions(net, w, image.w), {1, w, 1, 1});
  const Var y = net.reshape(positions(net, h, image.h), {h, 1, 1, 1});
  const Var along = net.mul(x, net.table(kIsX, {4}));
  const Var down = net.mul(y, net.table(kIsY, {4}));
  const Var shifts = net.add(along, down);  // h×w×1×4
  const auto count = static_cast<std::int64_t>(sizes.size()) * kAspectRatios;
  const Var placed = net.add(shifts, net.table(cell_anchors(sizes), {count, 4}));
  return net.reshape(placed, {h * w * count, 4});
}

}  // namespace

Var anchor_boxes(Builder& net, std::span<const Var> features, std::span<const AnchorSizes> sizes,
                 Pair image) {
  const auto module = net.module("anchor_generator", "AnchorGenerator");
  std::vector<Var> levels;
  for (std::size_t i = 0; i < features.size(); ++i)
    levels.push_back(level_anchors(net, features[i], sizes[i], image));
  return net.concat(levels, 0);
}

// An anchor's numbers are adjacent among the channels, so one transposition is enough.
Var by_anchor(Builder& net, Var x, std::int64_t items) {
  const std::int64_t rows = net.channels(x) / items * net.number(x, 2) * net.number(x, 3);
  return net.reshape(net.transpose(x, {0, 2, 3, 1}), {net.size(x, 0), rows, items});
}

Var of_image(Builder& net, Var x, std::int64_t image) {
  return net.number(x, 0) == 1 ? net.squeeze(x, {0}) : net.gather(x, net.integer(image), 0);
}

}  // namespace strata::zoo
