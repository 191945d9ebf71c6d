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

struct Detections {
  std::size_t boxes_at, labels_at, scores_at;  // which outputs
  std::vector<Box> boxes;
};

// Detections are a floating-point output [N,4], another of shape [N] and an integer output [N] with
// the same N (each may have a first axis of 1). If several fit, their names decide.
std::optional<Detections> find_detections(std::span<const HostTensor> outputs);
// The detections in the outputs at the same positions; nullopt if these have another form.
std::optional<Detections> detections_at(std::span<const HostTensor* const> outputs,
                                        const Detections& like);

// Intersection over union.
double overlap(const Box& a, const Box& b);

// Sets matched_boxes, boxes and the errors of the corners of matched ones. The best
// overlap is matched first; a box is matched once.
void compare_detections(const Detections& reference, const Detections& other,
                        OutputDifference& out);

}  // namespace strata
