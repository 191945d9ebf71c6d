// Finds detections among the outputs of a model, and compares them with those of another run.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "strata/data/output_difference.h"

namespace strata {

struct Box {
  double corners[4];  // x1, y1, x2, y2
  std::int64_t label;
  double score;
};

// The objects found in one image.
struct Detections {
  std::size_t boxes_at = 0, labels_at = 0, scores_at = 0;  // which outputs
  std::optional<std::size_t> masks_at = {};
  std::vector<Box> boxes = {};
  const HostTensor* masks = nullptr;  // of these outputs; null: there are none
};

// Detections are a floating-point output [N,4], another of shape [N] and an integer output [N] with
// the same N (each may have a first axis of 1), and perhaps masks, a floating-point output
// [N,1,H,W] or [N,H,W]. A batch has one group of these for each image, in the order of the images.
// If other outputs have such shapes as well, names decide.
std::vector<Detections> find_detections(std::span<const HostTensor> outputs);
// The detections in the outputs at the same positions; none if these have another form.
std::vector<Detections> detections_at(std::span<const HostTensor* const> outputs,
                                      std::span<const Detections> like);

// Intersection over union.
double overlap(const Box& a, const Box& b);

// Sets matched_boxes, boxes and the errors of the corners of matched ones, over all images. The
// best overlap is matched first; a box is matched once, and is found again only if its mask is,
// too.
void compare_detections(std::span<const Detections> reference, std::span<const Detections> other,
                        OutputDifference& out);

}  // namespace strata
