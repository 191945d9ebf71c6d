// What was promised for a plan, and what its file gives.
#include <cmath>

#include "strata/quant/quantize.h"

namespace strata {

namespace {

constexpr double kAlike = 0.5;  // dB; less is the rounding of kernels, not another network

bool inside(double value, const std::optional<Interval>& interval) {
  return interval && interval->low <= value && value <= interval->high;
}

}  // namespace

bool QuantizeOutcome::kept_promise() const {
  const auto one = value(Quality::Sqnr, promised), two = value(Quality::Sqnr, got);
  if (!one || !two || std::abs(*one - *two) <= kAlike || *one == *two) return true;
  return inside(*one, value_interval(Quality::Sqnr, got)) &&
         inside(*two, value_interval(Quality::Sqnr, promised));
}

}  // namespace strata
