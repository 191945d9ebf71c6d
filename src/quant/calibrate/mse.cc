// The range with the least mean squared error: that of rounding, which grows with the range, plus
// that of clipping, which shrinks. Both follow from the sketch, so the search is over ranges and
// needs no data: first by factors of the square root of two, down to 2^-12 of the largest |x|, then
// in even steps around the best. If the range is not symmetric, one end is moved at a time while
// the other is held.
#include <algorithm>
#include <cmath>
#include <vector>

#include "calibrate/choices.h"

namespace strata {

namespace {

constexpr double kFactor = 0.70710678118654752;

// The share with the least cost(share), searched by factors starting at 1.
template <class Cost>
double best_factor(const Cost& cost) {
  double best = 1, least = cost(1.0), share = 1;
  for (int i = 0; i < 24; ++i) {
    share *= kFactor;
    if (const double found = cost(share); found < least) {
      least = found;
      best = share;
    }
  }
  return best;
}

// Like above, searched in even steps between the factors next to `share`.
template <class Cost>
double best_step(double share, const Cost& cost) {
  constexpr int kSteps = 24;
  const double from = share * kFactor, to = std::min(share / kFactor, 1.0);
  double best = share, least = cost(share);
  for (int i = 1; i <= kSteps; ++i) {
    const double next = from + (to - from) * i / kSteps;
    if (const double found = cost(next); found < least) {
      least = found;
      best = next;
    }
  }
  return best;
}

}  // namespace

Range mse_range(const Sketch& sketch, const Scheme& scheme) {
  const std::vector<SketchBin> bins = sketch.bins();
  const auto noise = [&](double low, double high) {
    return noise_power(bins,
                       quantization({static_cast<float>(low), static_cast<float>(high)}, scheme));
  };
  double low = std::min(*sketch.min(), 0.0F), high = std::max(*sketch.max(), 0.0F);
  if (scheme.symmetric) low = -(high = std::max(-low, high));

  double low_share = 1, high_share = 1;
  const auto both = [&](double share) { return noise(low * share, high * share); };
  const auto lower = [&](double share) { return noise(low * share, high * high_share); };
  const auto upper = [&](double share) { return noise(low * low_share, high * share); };
  low_share = high_share = best_factor(both);
  if (scheme.symmetric || low == 0 || high == 0) {
    low_share = high_share = best_step(low_share, both);
  } else {
    high_share = best_factor(upper);
    low_share = best_factor(lower);
    high_share = best_step(high_share, upper);
    low_share = best_step(low_share, lower);
    high_share = best_step(high_share, upper);
  }
  return {static_cast<float>(low * low_share), static_cast<float>(high * high_share)};
}

}  // namespace strata
