// The difference between the outputs of two ways to run a model. A wrong answer is never called
// fast.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

// The worst over all outputs; nullopt: does not apply. For detections, the errors are those of the
// corners of matched boxes.
struct OutputDifference {
  double max_error = 0;       // largest |a - b|
  double relative_error = 0;  // max_error over the largest |a| of its output
  // dB: 10 log10(sum a² / sum (a - b)²); nullopt: no difference at all.
  std::optional<double> sqnr = {};
  std::optional<double> cosine = {};  // nullopt if one side is all zeros
  // Share of rows (last axis) with the same largest element, for outputs that look like class
  // scores: two axes, or three with at least 1,000 on the last.
  std::optional<double> top1 = {};
  std::size_t rows = 0;  // the number of rows that top1 refers to
  // Detections: boxes of one that have a box of the same label with IoU ≥ 0.5 in the other, and a
  // mask with IoU ≥ 0.5 if there are masks, over the larger number of boxes; of all images.
  std::optional<double> matched_boxes = {};
  std::size_t boxes = 0;   // the larger number; 0: neither has any, which says nothing
  std::string worst = {};  // the output that `relative_error` comes from
};

// Outputs are matched by name, or else by order. A different number of outputs, or a type or shape
// that differs, is an error that says which. The number of detections may differ, and so may the
// floating-point type.
Result<OutputDifference> compare_outputs(std::span<const HostTensor> reference,
                                         std::span<const HostTensor> other);

// The limits within which two answers are the same.
struct AnswerLimits {
  double relative_error = 1e-3;  // for floating-point variants
  double min_sqnr = 20;          // dB; for int8, where errors are expected
  double min_top1 = 0.9;         // for int8 with at least ten rows: one row says little
  double min_boxes = 0.9;
};
// Empty if the answer is the same; otherwise a sentence: `SQNR 11.2 dB, wanted 20`. Detections are
// judged by their boxes alone.
std::string answer_mistake(const OutputDifference& difference, const AnswerLimits& limits,
                           bool lossy);

}  // namespace strata
