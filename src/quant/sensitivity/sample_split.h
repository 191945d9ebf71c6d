// Splits samples into those that a choice is made with and those that judge it.
#pragma once

#include <cstddef>

#include "strata/sensitivity/sensitivity.h"

namespace strata {

// With fewer samples, halves would say too little, so all samples do both.
inline constexpr std::size_t kFewestToSplit = 8;

struct SampleSplit {
  SampleSpan choose, judge;
  bool apart = false;  // the two have no sample in common
  std::size_t choosing() const { return choose.end - choose.first; }
  std::size_t judging() const { return judge.end - judge.first; }
};

// The first half chooses, the rest judges.
inline SampleSplit split_samples(std::size_t count) {
  if (count < kFewestToSplit) return {{0, count}, {0, count}, false};
  const std::size_t half = count / 2;
  return {{0, half}, {half, count}, true};
}

}  // namespace strata
