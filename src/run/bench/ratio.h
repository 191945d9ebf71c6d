// The ratio of two times that were not measured side by side, from the interval of each.
#pragma once

#include "strata/bench/bench.h"

namespace strata {

// `base` over `other`. Half of each interval, in logarithms, is added like an independent error.
// The intervals have ends above 0.
SpeedUp ratio_of(double base, const Interval& base_interval, double other,
                 const Interval& other_interval);

// The speedup of the second of two variants over the first. Withheld if the first
// has too few runs: judge() then makes the second the base, whose own ratio is 1. nullopt: one of
// them failed.
std::optional<SpeedUp> speed_up_over_first(const BenchResult& result);

}  // namespace strata
