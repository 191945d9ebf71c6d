#include "bench/ratio.h"

#include <cmath>

namespace strata {

SpeedUp ratio_of(double base, const Interval& base_interval, double other,
                 const Interval& other_interval) {
  const auto half = [](const Interval& own) { return std::log(own.high / own.low) / 2; };
  const double both = std::hypot(half(base_interval), half(other_interval));
  const double center = std::log(base / other);
  SpeedUp out;
  out.median = std::exp(center);
  out.interval = {std::exp(center - both), std::exp(center + both)};
  return out;
}

}  // namespace strata
