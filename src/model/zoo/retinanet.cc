// RetinaNet: every anchor of every level is classified and moved, in one stage.
#include <algorithm>

#include "zoo/detection.h"

namespace strata::zoo {

namespace {

constexpr std::int64_t kSizes[5][3] = {  // three per level, a third of an octave apart
    {32, 40, 50},
    {64, 80, 101},
    {128, 161, 203},
    {256, 322, 406},
    {512, 645, 812}};
constexpr std::int64_t kAnchors = 3 * kAspectRatios;  // per position
constexpr float kOverlap = 0.5F;

struct Branch {
  std::string_view name, cls, last;
  std::int64_t items;  // per anchor
};

// Four convolutions and one more, on every level with the same weights: N×n×items for all.
Var branch(Builder& net, std::span<const Var> features, const Branch& options) {
  const auto module = net.module(options.name, options.cls);
  std::vector<Var> levels;
  for (Var x : features) {
    const std::int64_t width = net.channels(x);
    {
      const auto conv = net.module("conv", "Sequential");
      for (std::int64_t i = 0; i < 4; ++i) {
        const auto block = net.module(i, "Conv2dNormActivation");
        x = net.relu("1", net.conv("0", x, width, {.kernel = 3, .pad = 1}));
      }
    }
    x = net.conv(options.last, x, kAnchors * options.items, {.kernel = 3, .pad = 1});
    levels.push_back(by_anchor(net, x, options.items));
  }
  return net.concat(levels, 1);
}

// The best pairs of anchor and class on every level.
struct Candidates {
  Var scores, anchors, labels;
  std::int64_t count = 0;
};

Candidates best(Builder& net, std::span<const Var> levels, std::span<const std::int64_t> rows,
                std::int64_t image, std::int64_t most) {
  const std::int64_t classes = net.number(levels[0], 2);
  Candidates all;
  std::vector<Var> scores, anchors, labels;
  std::int64_t before = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::int64_t pairs = rows[i] * classes;
    const std::int64_t count = std::min(most, pairs);
    Var flat = levels[i];
    if (net.number(flat, 0) > 1) flat = of_image(net, flat, image);
    flat = net.sigmoid(net.reshape(flat, {pairs}));
    const auto top = net.ops("TopK", {flat, net.integers({count})}, 2, {{"axis", 0}});
    scores.push_back(top[0]);
    const Var row = net.div(top[1], net.integer(classes));
    anchors.push_back(before == 0 ? row : net.add(row, net.integer(before)));
    labels.push_back(net.op("Mod", {top[1], net.integer(classes)}));
    before += rows[i];
    all.count += count;
  }
  all.scores = net.concat(scores, 0);
  all.anchors = net.concat(anchors, 0);
  all.labels = net.concat(labels, 0);
  return all;
}

struct Head {
  std::vector<Var> logits;  // by level
  Var deltas, anchors;
  std::vector<std::int64_t> rows;  // of each level
};

Detections detect(Builder& net, const Head& head, std::int64_t image, const ImageSizes& sizes,
                  const Arguments& arguments) {
  const Candidates candidates =
      best(net, head.logits, head.rows, image, arguments.whole("candidates"));
  const Var likely = net.op(
      "Greater", {candidates.scores, net.number(static_cast<float>(arguments.real("score")))});
  const Var found = rows_where(net, likely, candidates.count);
  const Var at = net.gather(candidates.anchors, found, 0);
  const Var moves = net.gather(of_image(net, head.deltas, image), at, 0);
  Var boxes = decode_boxes(net, moves, net.gather(head.anchors, at, 0));
  boxes = clip_boxes(net, boxes, sizes.resized);
  const Var scores = net.gather(candidates.scores, found, 0);
  const Var labels = net.gather(candidates.labels, found, 0);
  const Var kept = suppress_boxes(net, boxes, scores, labels,
                                  {.groups = arguments.whole("classes"),
                                   .image = sizes.resized,
                                   .overlap = kOverlap,
                                   .most = arguments.whole("detections")});
  return {net.gather(boxes, kept, 0), net.gather(labels, kept, 0), net.gather(scores, kept, 0)};
}

}  // namespace

void retinanet(Builder& net, const Arguments& arguments) {
  const ImageSizes sizes = image_sizes(net, arguments);
  const std::int64_t classes = arguments.whole("classes");
  Var x = net.input("input", {arguments.whole("batch"), 3, sizes.given.h, sizes.given.w});
  x = transform(net, x, sizes);
  const auto features = backbone_with_fpn(net, x, TopLevels::P6P7);
  Head head;
  Var logits;
  {
    const auto module = net.module("head", "RetinaNetHead");
    logits = branch(net, features,
                    {"classification_head", "RetinaNetClassificationHead", "cls_logits", classes});
    head.deltas =
        branch(net, features, {"regression_head", "RetinaNetRegressionHead", "bbox_reg", 4});
  }
  std::vector<AnchorSizes> anchor_sizes(std::begin(kSizes), std::end(kSizes));
  head.anchors = anchor_boxes(net, features, anchor_sizes, sizes.padded);
  for (const Var level : features)
    head.rows.push_back(kAnchors * net.number(level, 2) * net.number(level, 3));
  head.logits = net.split(logits, 1, head.rows);
  std::vector<Detections> found;
  for (std::int64_t image = 0; image < arguments.whole("batch"); ++image)
    found.push_back(detect(net, head, image, sizes, arguments));
  output_detections(net, found, sizes);
}

}  // namespace strata::zoo
