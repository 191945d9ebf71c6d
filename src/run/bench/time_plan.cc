#include "bench/time_plan.h"

#include <algorithm>
#include <cmath>

#include "strata/measure/undisturbed.h"

namespace strata {

std::size_t variants_that_fit(std::span<const double> seconds, double seconds_left) {
  std::size_t fit = seconds.size();
  while (fit > 0 && static_cast<double>(kRunsForClaim * fit) * seconds[fit - 1] > seconds_left)
    --fit;
  return fit;
}

WaveShare share_of_wave(const WaveFacts& facts) {
  const double round = std::max(facts.round, 1e-9);
  const auto most = static_cast<double>(std::max(1, facts.wanted));
  double waves = std::clamp(std::floor(facts.left / (facts.setup + round)), 1.0, most);
  const auto rounds_in = [&](double count) {
    return std::max(1.0, std::floor((facts.left / count - facts.setup) / round));
  };
  const std::size_t runs = std::max<std::size_t>(1, facts.runs);
  const auto needed = static_cast<double>((kRunsForClaim + runs - 1) / runs);  // rounds
  while (facts.first && waves > 1 && waves * rounds_in(waves) < needed) --waves;
  const bool fewer = facts.first && waves < most;
  return {facts.left / waves, fewer ? static_cast<int>(std::ceil(needed / waves)) : 0};
}

}  // namespace strata
