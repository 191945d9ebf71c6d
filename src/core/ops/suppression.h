// Carries out NonMaxSuppression for known boxes, because the number of boxes that are kept is a
// size.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace strata {

struct Suppression {
  std::size_t batches = 0, classes = 0, boxes = 0;
  std::span<const double> corners;  // batches × boxes × 4
  std::span<const double> scores;   // batches × classes × boxes
  bool centered = false;            // boxes are center and size, not two corners
  std::int64_t most = 0;            // boxes to keep per class and batch item
  double overlap = 0;               // a box is dropped above this intersection over union
  double least_score = 0;           // used if has_least_score
  bool has_least_score = false;
};

// The boxes that are kept: batch, class, box; by descending score within a class.
std::vector<std::array<std::int64_t, 3>> suppress(const Suppression& input);

}  // namespace strata
