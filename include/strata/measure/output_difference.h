// How far the outputs of two ways to run a model are apart. A wrong answer is never
// called fast.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"

namespace strata {

// Of all outputs together, the worst of them; nullopt: does not apply. For detections the
// errors are those of the corners of matched boxes.
struct OutputDifference {
  double max_error = 0;       // largest |a - b|
  double relative_error = 0;  // that over the largest |a| of its output
  // dB: 10 log10(sum a² / sum (a - b)²); nullopt: no difference at all.
  std::optional<double> sqnr = {};
  std::optional<double> cosine = {};  // nullopt if one is all zeros
  // Share of rows (last axis) with the same largest element; of outputs that look like
  // scores of classes: two axes, or three and at least 1,000 on the last.
  std::optional<double> top1 = {};
  std::size_t rows = 0;  // that top1 is a share of
  // Detections: boxes of the one that have a box of the same label and IoU ≥ 0.5 in the
  // other, over the larger number of boxes.
  std::optional<double> matched_boxes = {};
  std::size_t boxes = 0;   // the larger number; 0: none in either, which says nothing
  std::string worst = {};  // the output that `relative_error` comes from
};

// Outputs are matched by name, else by order. Another number of outputs, a type or shape
// that differs (other than the number of detections, and one floating-point type from
// another) is an error that says which.
Result<OutputDifference> compare_outputs(std::span<const HostTensor> reference,
                                         std::span<const HostTensor> other);

// What counts as the same answer.
struct AnswerLimits {
  double relative_error = 1e-3;  // for floating-point variants
  double min_sqnr = 20;          // dB; for int8, where errors are expected
  double min_top1 = 0.9;         // for int8, of at least ten rows: one says little
  double min_boxes = 0.9;
};
// Empty if it is; else a sentence: `SQNR 11.2 dB, wanted 20`. Detections are judged by
// their boxes alone.
std::string answer_mistake(const OutputDifference& difference, const AnswerLimits& limits,
                           bool lossy);

}  // namespace strata
