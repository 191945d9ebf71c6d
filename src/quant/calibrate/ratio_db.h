// Bounds the distance of a ratio of sums over some samples from the ratio over all possible
// samples.
#pragma once

#include <optional>
#include <span>

namespace strata {

// 10 · log10(sum of `above` / sum of `below`); both have one element per sample.
struct RatioDb {
  double value = 0;
  double error = 0;  // standard error, from leaving out one sample at a time (jackknife)
};
// nullopt with fewer than two samples, or if one sample alone makes up a whole sum.
std::optional<RatioDb> ratio_db(std::span<const double> above, std::span<const double> below);

}  // namespace strata
