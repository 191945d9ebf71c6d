// The state of a sketch.
#pragma once

#include <cstdint>
#include <vector>

#include "calibrate/paged_counters.h"

namespace strata {

// Everything that a sketch knows. sketch_grid.h defines the layout of the counters.
struct SketchParts {
  std::uint64_t zeros = 0;  // of either sign
  std::uint64_t nans = 0;
  std::uint64_t positive_infinities = 0, negative_infinities = 0;
  // Exact, over the finite elements; infinity and its negative if there are none.
  float min, max;
  PagedCounters counters = {};  // of finite elements that are not zero
  // min and max for every channel; empty if the sketch is not by channel.
  std::vector<float> channel_min = {}, channel_max = {};

  SketchParts();
  bool operator==(const SketchParts&) const = default;
};

}  // namespace strata
