// Classifies each proposal: features under it from the level that fits its size, two layers, then a
// score and a box for every class.
#include <array>
#include <cmath>

#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr std::size_t kLevels = 4;        // of the pyramid; its fifth level is only for proposals
constexpr std::int64_t kFirstStride = 4;  // image pixels per pixel of the first level
constexpr RoiPool kBoxPool{"box_roi_pool", 7};
constexpr std::int64_t kWidth = 1024;
constexpr float kOverlap = 0.5F;
constexpr float kLeastSide = 1e-2F;

// The level of each box: a box of 224×224 pixels goes to the third level, one with twice that side
// to the fourth. Equivalent to floor(log2(√area / 224) + 10⁻⁶), but compares areas.
Var levels_of(Builder& net, Var boxes) {
  constexpr double kCanonical = 224;
  constexpr double kTolerance = 1e-6;
  std::vector<float> areas;
  for (int level = 1; level < static_cast<int>(kLevels); ++level)
    areas.push_back(
        static_cast<float>(kCanonical * kCanonical * std::exp2(2 * (level - 2 - kTolerance))));
  const Var area = net.op("ReduceProd", {box_sides(net, boxes)}, {{"axes", {1}}, {"keepdims", 1}});
  const Var above = net.op("GreaterOrEqual", {area, net.table(areas, {kLevels - 1})});
  return net.op("ReduceSum", {net.cast(above, DType::I64), net.integers({1})}, {{"keepdims", 0}});
}

// The number of an image, once for each item of a list.
Var repeated(Builder& net, std::int64_t image, Var list) {
  return net.op("Expand", {net.integer(image), net.op("Shape", {list})});
}

// For each proposal, the number of its image; left out if there is one image.
Var images_of(Builder& net, std::span<const Var> proposals) {
  if (proposals.size() == 1) return {};
  std::vector<Var> numbers;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const Var first = net.squeeze(net.slice(proposals[i], 1, 0, 1), {1});
    numbers.push_back(repeated(net, static_cast<std::int64_t>(i), first));
  }
  return net.concat(numbers, 0);
}

}  // namespace

// Pools the boxes of each level from it, then puts all of them in the boxes' order.
Var roi_pool(Builder& net, std::span<const Var> features, std::span<const Var> proposals,
             const RoiPool& pool, std::int64_t most) {
  const auto module = net.module(pool.name, "MultiScaleRoIAlign");
  const Var images = images_of(net, proposals);
  const Var boxes = proposals.size() == 1 ? proposals[0] : net.concat(proposals, 0);
  most *= static_cast<std::int64_t>(proposals.size());
  const Var levels = levels_of(net, boxes);
  std::array<Var, kLevels> rows, pooled;
  for (std::size_t i = 0; i < kLevels; ++i) {
    const Var is_here = net.op("Equal", {levels, net.integer(static_cast<std::int64_t>(i))});
    rows[i] = rows_where(net, is_here, most);
    const Var image =
        images.id == kNone ? repeated(net, 0, rows[i]) : net.gather(images, rows[i], 0);
    pooled[i] = net.op("RoiAlign", {features[i], net.gather(boxes, rows[i], 0), image},
                       {{"coordinate_transformation_mode", "output_half_pixel"},
                        {"output_height", pool.side},
                        {"output_width", pool.side},
                        {"sampling_ratio", 2},
                        {"spatial_scale", 1.0 / static_cast<double>(kFirstStride << i)}});
  }
  // Where each box went: the inverse of the order by levels.
  const Var order = net.concat(rows, 0);
  const Var count = net.squeeze(net.op("Shape", {order}), {0});
  const Var places = net.op("Range", {net.integer(0), count, net.integer(1)});
  const Var inverse = net.op("ScatterElements", {levels, order, places}, {{"axis", 0}});
  return net.gather(net.concat(pooled, 0), inverse, 0);
}

std::vector<Var> by_image(Builder& net, Var x, std::span<const Var> boxes) {
  if (boxes.size() == 1) return {x};
  std::vector<Var> counts;
  for (const Var list : boxes) counts.push_back(net.length(list, 0));
  return net.ops("Split", {x, net.concat(counts, 0)}, boxes.size(), {{"axis", 0}});
}

namespace {

Var two_layers(Builder& net, Var x) {
  const auto module = net.module("box_head", "TwoMLPHead");
  x = net.relu(net.linear("fc6", net.flatten(x), kWidth));
  return net.relu(net.linear("fc7", x, kWidth));
}

// Every class of every proposal, except for the first class, the background, is a candidate.
Detections detect(Builder& net, Var logits, Var deltas, Var proposals, Pair image,
                  const RoiOptions& options) {
  const std::int64_t classes = options.classes;
  const Var by_class = net.reshape(deltas, {-1, classes, 4});
  const Var around = net.unsqueeze(proposals, {1});
  Var boxes = decode_boxes(net, by_class, around, {.center = 10, .size = 5});
  boxes = net.slice(clip_boxes(net, boxes, image), 1, 1, classes);
  boxes = net.reshape(boxes, {-1, 4});
  Var scores = net.slice(net.softmax(logits, -1), 1, 1, classes);
  scores = net.reshape(scores, {-1});

  const Var is_likely = net.op("Greater", {scores, net.number(options.least_score)});
  const Var is_found = net.op("And", {is_likely, is_box_of(net, boxes, kLeastSide)});
  const Var found = rows_where(net, is_found, options.proposals * (classes - 1));
  boxes = net.gather(boxes, found, 0);
  scores = net.gather(scores, found, 0);
  Var labels = net.op("Mod", {found, net.integer(classes - 1)});
  labels = net.add(labels, net.integer(1));
  const Var kept = suppress_boxes(
      net, boxes, scores, labels,
      {.groups = classes, .image = image, .overlap = kOverlap, .most = options.detections});
  return {net.gather(boxes, kept, 0), net.gather(labels, kept, 0), net.gather(scores, kept, 0)};
}

}  // namespace

std::vector<Detections> roi_heads(Builder& net, std::span<const Var> features,
                                  std::span<const Var> proposals, const ImageSizes& sizes,
                                  const RoiOptions& options) {
  const auto module = net.module("roi_heads", "RoIHeads");
  Var x = two_layers(net, roi_pool(net, features, proposals, kBoxPool, options.proposals));
  Var logits, deltas;
  {
    const auto predictor = net.module("box_predictor", "FastRCNNPredictor");
    x = net.flatten(x);
    logits = net.linear("cls_score", x, options.classes);
    deltas = net.linear("bbox_pred", x, 4 * options.classes);
  }
  const auto scores = by_image(net, logits, proposals);
  const auto moves = by_image(net, deltas, proposals);
  std::vector<Detections> found;
  for (std::size_t i = 0; i < proposals.size(); ++i)
    found.push_back(detect(net, scores[i], moves[i], proposals[i], sizes.resized, options));
  if (options.masks) mask_heads(net, features, found, options);
  return found;
}

}  // namespace strata::zoo
