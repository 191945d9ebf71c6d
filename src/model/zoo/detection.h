// Pieces of detectors, as torchvision builds them: they take images of any size and return boxes,
// labels and scores of each. Boxes are rows of left, top, right, bottom in pixels. Images share the
// layers; what comes after them is done for one image at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "zoo/registry.h"

namespace strata::zoo {

// ---- Around the network: the image is resized for it, and boxes are scaled back to the image.

struct ImageSizes {
  Pair given;
  Pair resized;  // the shorter side is min_size, unless the longer would exceed max_size
  Pair padded;   // to multiples of 32
};

// Computed from the arguments resolution, height, width, min_size and max_size.
ImageSizes image_sizes(Builder& net, const Arguments& arguments);
// Normalised, resized and padded.
Var transform(Builder& net, Var image, const ImageSizes& sizes);
Var back_to_given(Builder& net, Var boxes, const ImageSizes& sizes);

// ---- Features: ResNet-50 with a five-level pyramid, 256 channels each.

enum class TopLevels : std::uint8_t {
  Pool,  // from layer1 to layer4, and the last one again at half its size
  P6P7,  // from layer2 to layer4, followed by two convolutions
};
std::vector<Var> backbone_with_fpn(Builder& net, Var image, TopLevels top);

// ---- Anchors: boxes of three shapes and one or more sizes around every position.

using AnchorSizes = std::span<const std::int64_t>;  // square roots of their areas
inline constexpr std::int64_t kAspectRatios = 3;
// The anchors of all levels in a row, n×4: by position, then shape, then size.
Var anchor_boxes(Builder& net, std::span<const Var> features, std::span<const AnchorSizes> sizes,
                 Pair image);
// A head's outputs for every anchor, in the order of the anchors: N×(A·c)×h×w becomes N×(h·w·A)×c.
Var by_anchor(Builder& net, Var x, std::int64_t items);
// Returns the part of one image of a batch, without the batch axis.
Var of_image(Builder& net, Var x, std::int64_t image);

// ---- Boxes.

// Numbers that a head's outputs are divided by before they are applied to a box.
struct BoxWeights {
  float center = 1, size = 1;
};
// Moves and scales boxes: `boxes` is n×4 and `deltas` n×4, or n×1×4 and n×c×4.
Var decode_boxes(Builder& net, Var deltas, Var boxes, BoxWeights weights = {});
Var clip_boxes(Builder& net, Var boxes, Pair image);
// Width and height.
Var box_sides(Builder& net, Var boxes);
// True where both sides are at least this long.
Var is_box_of(Builder& net, Var boxes, float side);
// The indices of the rows that are true; there are at most `rows`.
Var rows_where(Builder& net, Var is_true, std::int64_t rows);

// Non-maximum suppression among boxes of the same group.
struct Suppressing {
  std::int64_t groups;
  Pair image;
  float overlap;      // above this, the box with the lower score is dropped
  std::int64_t most;  // number of boxes to keep
};
// The indices of the boxes that are kept, highest score first. `groups` are integers.
Var suppress_boxes(Builder& net, Var boxes, Var scores, Var groups, const Suppressing& options);

struct Detections {
  Var boxes, labels, scores;
  Var masks = {};  // n×1×28×28: how likely each part of a box belongs to the object, if asked for
};
// Makes them outputs of the network, for each image: `boxes`, or `boxes_0` if there are several.
void output_detections(Builder& net, std::span<const Detections> images, const ImageSizes& sizes);

// ---- The two stages of Faster R-CNN.

struct ProposalOptions {
  std::int64_t candidates;  // per level
  std::int64_t proposals;
};
// Boxes that may contain an object, at most `proposals` for each image.
std::vector<Var> region_proposals(Builder& net, std::span<const Var> features,
                                  const ImageSizes& sizes, const ProposalOptions& options);

struct RoiOptions {
  std::int64_t proposals, classes, detections;  // proposals and detections of one image, at most
  float least_score;
  bool masks = false;  // Mask R-CNN
};
// Classifies the proposals of each image.
std::vector<Detections> roi_heads(Builder& net, std::span<const Var> features,
                                  std::span<const Var> proposals, const ImageSizes& sizes,
                                  const RoiOptions& options);

struct RoiPool {
  std::string_view name;
  std::int64_t side;
};
// The features under each box, n×256×side×side, from the level that fits its size; n is at most
// `most` in each image.
Var roi_pool(Builder& net, std::span<const Var> features, std::span<const Var> proposals,
             const RoiPool& pool, std::int64_t most);
// The rows of each image, as many as it has boxes.
std::vector<Var> by_image(Builder& net, Var x, std::span<const Var> boxes);

// ---- The third stage of Mask R-CNN.

// Adds a mask to each detection, in the open module.
void mask_heads(Builder& net, std::span<const Var> features, std::span<Detections> images,
                const RoiOptions& options);
// Masks as large as the image, n×1×h×w, 0 outside of their boxes.
Var paste_masks(Builder& net, Var masks, Var boxes, Pair image);

void fasterrcnn(Builder& net, const Arguments& arguments);
void maskrcnn(Builder& net, const Arguments& arguments);
void retinanet(Builder& net, const Arguments& arguments);

}  // namespace strata::zoo
