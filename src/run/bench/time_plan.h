// Divides the time of a benchmark among waves and variants.
#pragma once

#include <cstddef>
#include <span>

namespace strata {

// Counts the variants, fastest first, that can each run as often as a claim takes (kRunsForClaim)
// in `seconds_left`. `seconds` are those of one inference each. Blocks of all variants are equally
// long and at least one inference of the slowest, so a slow variant costs as much as all of them
// being slow.
std::size_t variants_that_fit(std::span<const double> seconds, double seconds_left);

struct WaveFacts {
  double left;       // seconds until the end of the benchmark, at the start of the wave
  double setup;      // seconds before its first round
  double round;      // seconds of a round
  std::size_t runs;  // of the variant that runs least often in a round
  int wanted;        // waves, including this one
  bool first;        // the first wave decides whether there are fewer
};
struct WaveShare {
  double seconds;  // how long the wave may last
  int rounds;      // enough for a claim; 0: as many as planned
};
// There are fewer waves than wanted if there is no time for a round in each, or not enough for the
// rounds that a claim takes: each wave has to start its processes again.
WaveShare share_of_wave(const WaveFacts& facts);

}  // namespace strata
