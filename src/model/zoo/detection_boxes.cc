#include <cmath>

#include <fmt/format.h>

#include "zoo/detection.h"

namespace strata::zoo {

// Centers move by a fraction of the box's side; sides grow by a factor of e^delta, which is limited
// to 1000/16.
Var decode_boxes(Builder& net, Var deltas, Var boxes, BoxWeights weights) {
  const float most = std::log(1000.0F / 16);
  const auto corners = net.split(boxes, -1, 2);
  const Var sides = net.sub(corners[1], corners[0]);
  const Var centers = net.add(corners[0], net.mul(sides, net.number(0.5F)));
  auto parts = net.split(deltas, -1, 2);
  if (weights.center != 1) parts[0] = net.div(parts[0], net.number(weights.center));
  if (weights.size != 1) parts[1] = net.div(parts[1], net.number(weights.size));
  const Var growth = net.op("Exp", {net.op("Clip", {parts[1], {}, net.number(most)})});
  const Var moved = net.add(net.mul(parts[0], sides), centers);
  const Var grown = net.mul(growth, sides);
  const Var half = net.mul(grown, net.number(0.5F));
  return net.concat({net.sub(moved, half), net.add(moved, half)}, -1);
}

Var clip_boxes(Builder& net, Var boxes, Pair image) {
  const auto w = static_cast<float>(image.w);
  const auto h = static_cast<float>(image.h);
  const float most[] = {w, h, w, h};
  return net.op("Min", {net.op("Max", {boxes, net.number(0)}), net.table(most, {4})});
}

Var box_sides(Builder& net, Var boxes) {
  const auto corners = net.split(boxes, -1, 2);
  return net.sub(corners[1], corners[0]);
}

// The axis is counted from the front because, if there are no boxes, ONNX Runtime 1.27 does not
// reduce an axis that is counted from the back.
Var is_box_of(Builder& net, Var boxes, float side) {
  const Var shorter =
      net.op("ReduceMin", {box_sides(net, boxes)}, {{"axes", {1}}, {"keepdims", 0}});
  return net.op("GreaterOrEqual", {shorter, net.number(side)});
}

// No more rows come out than go in; the slice makes that visible to shape inference.
Var rows_where(Builder& net, Var is_true, std::int64_t rows) {
  const Var found = net.squeeze(net.op("NonZero", {is_true}), {0});
  return net.slice(found, 0, 0, rows);
}

// Moves groups apart, each into its own cell of a square grid, so that boxes of different groups
// never overlap. The grid keeps coordinates, and so their rounding errors, small. The operator
// stops at `most`; the slice makes that visible to shape inference.
Var suppress_boxes(Builder& net, Var boxes, Var scores, Var groups, const Suppressing& options) {
  const auto columns =
      static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(options.groups))));
  std::vector<float> fields;
  for (std::int64_t i = 0; i < options.groups; ++i) {
    const std::int64_t row = i / columns, column = i % columns;
    const auto x = static_cast<float>(column * (options.image.w + 1));
    const auto y = static_cast<float>(row * (options.image.h + 1));
    fields.insert(fields.end(), {x, y, x, y});
  }
  const Var apart = net.add(boxes, net.gather(net.table(fields, {options.groups, 4}), groups, 0));
  const Var kept =
      net.op("NonMaxSuppression", {net.unsqueeze(apart, {0}), net.unsqueeze(scores, {0, 1}),
                                   net.integer(options.most), net.number(options.overlap)});
  const Var rows = net.slice(kept, 0, 0, options.most);  // each is image, class and box
  return net.gather(rows, net.integer(2), 1);
}

void output_detections(Builder& net, std::span<const Detections> images, const ImageSizes& sizes) {
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::string number = images.size() == 1 ? "" : fmt::format("_{}", i);
    const Var boxes = back_to_given(net, images[i].boxes, sizes);
    net.output("boxes" + number, boxes);
    net.output("labels" + number, images[i].labels);
    net.output("scores" + number, images[i].scores);
    if (images[i].masks.id != kNone)
      net.output("masks" + number, paste_masks(net, images[i].masks, boxes, sizes.given));
  }
}

}  // namespace strata::zoo
