// The certainty of a number. A number that cannot be known is never printed as 0.
#pragma once

#include <algorithm>
#include <cstdint>

namespace strata {

enum class Certainty : std::uint8_t { Exact, LowerBound, Unknown };

// The certainty of a sum of two numbers, one of which may be missing.
inline Certainty of_sum(Certainty a, Certainty b) {
  if (a == b) return a;
  return Certainty::LowerBound;
}

}  // namespace strata
