// What was promised for a plan, and what its file gives.
#include <cmath>

#include "strata/quant/quantize.h"

namespace strata {

namespace {

// dB; less is sums that kernels round another way, not another network. Few samples do not level
// that out, and their intervals are too narrow.
constexpr double kAlike = 0.5, kAlikeOfFew = 1;
constexpr std::size_t kFew = 8;

bool inside(double value, const std::optional<Interval>& interval) {
  return interval && interval->low <= value && value <= interval->high;
}

}  // namespace

bool QuantizeOutcome::kept_promise() const {
  const auto one = value(Quality::Sqnr, promised), two = value(Quality::Sqnr, got);
  const double alike = got.size() < kFew ? kAlikeOfFew : kAlike;
  if (!one || !two || *one == *two || std::abs(*one - *two) <= alike) return true;
  return inside(*one, value_interval(Quality::Sqnr, got)) &&
         inside(*two, value_interval(Quality::Sqnr, promised));
}

}  // namespace strata
