// The ratio of two times that were not measured side by side, from the interval of each.
#pragma once

#include "strata/bench/bench.h"

namespace strata {

// `base` over `other`. Half of each interval, in logarithms, is added like an independent error.
// The intervals have ends above 0.
SpeedUp ratio_of(double base, const Interval& base_interval, double other,
                 const Interval& other_interval);

}  // namespace strata
