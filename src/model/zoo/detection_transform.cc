#include <algorithm>

#include <fmt/format.h>

#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr std::int64_t kDivisor = 32;  // of the padded size: the stride of the last stage

std::int64_t padded_size(std::int64_t size) { return (size + kDivisor - 1) / kDivisor * kDivisor; }

}  // namespace

// The scale is rounded as torch does for a number divided by a float tensor: it takes the tensor's
// reciprocal, then a product. Sizes are truncated, not rounded.
ImageSizes image_sizes(Builder& net, const Arguments& arguments) {
  const auto side = [&](std::string_view name) {
    const std::int64_t own = arguments.whole(name);
    return own > 0 ? own : arguments.whole("resolution");
  };
  const Pair given(side("height"), side("width"));
  const auto [shorter, longer] = std::minmax(given.h, given.w);
  const float scale =
      std::min(static_cast<float>(arguments.whole("min_size")) * (1 / static_cast<float>(shorter)),
               static_cast<float>(arguments.whole("max_size")) * (1 / static_cast<float>(longer)));
  const auto scaled = [&](std::int64_t size) {
    return static_cast<std::int64_t>(static_cast<double>(size) * scale);
  };
  const Pair resized(scaled(given.h), scaled(given.w));
  if (resized.h < 1 || resized.w < 1)
    net.fail(
        fmt::format("an image of {}×{} would be resized to {}×{}; choose one that is less long",
                    given.h, given.w, resized.h, resized.w));
  return {given, resized, {padded_size(resized.h), padded_size(resized.w)}};
}

Var transform(Builder& net, Var image, const ImageSizes& sizes) {
  const auto module = net.module("transform", "GeneralizedRCNNTransform");
  constexpr float kMean[] = {0.485F, 0.456F, 0.406F};
  constexpr float kDeviation[] = {0.229F, 0.224F, 0.225F};
  image = net.sub(image, net.table(kMean, {3, 1, 1}));
  image = net.div(image, net.table(kDeviation, {3, 1, 1}));
  image = net.resize(image, sizes.resized, "linear");
  const std::int64_t below = sizes.padded.h - sizes.resized.h;
  const std::int64_t right = sizes.padded.w - sizes.resized.w;
  if (below == 0 && right == 0) return image;
  return net.op("Pad", {image, net.integers({0, 0, 0, 0, 0, 0, below, right})});
}

Var back_to_given(Builder& net, Var boxes, const ImageSizes& sizes) {
  const float x = static_cast<float>(sizes.given.w) / static_cast<float>(sizes.resized.w);
  const float y = static_cast<float>(sizes.given.h) / static_cast<float>(sizes.resized.h);
  const float ratios[] = {x, y, x, y};
  return net.mul(boxes, net.table(ratios, {4}));
}

}  // namespace strata::zoo
