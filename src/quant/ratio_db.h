// How far a ratio of sums over samples may be from that of all samples there could be.
#pragma once

#include <optional>
#include <span>

namespace strata {

// 10 · log10(sum of `above` / sum of `below`), with as many elements in both: one for each sample.
struct RatioDb {
  double value = 0;
  double error = 0;  // standard error, from the ratios without one sample each (jackknife)
};
// nullopt with fewer than two samples, or where one sample alone makes up a whole sum.
std::optional<RatioDb> ratio_db(std::span<const double> above, std::span<const double> below);

}  // namespace strata
