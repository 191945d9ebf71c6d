// Times two models, or two forms of one, alternately: which layers are faster in the second, by how
// much, and how certain that is.
#pragma once

#include "strata/measure/timing.h"

namespace strata {

struct TimedPair {
  Timing base, other;
};

// Sessions of both take turns, so that a slow minute of the machine affects both. `seconds`, `runs`
// and `sessions` of the options apply to each.
Result<TimedPair> time_pair(const Engine& engine, const ModelSource& base,
                            const std::vector<HostTensor>& base_inputs, const ModelSource& other,
                            const std::vector<HostTensor>& other_inputs,
                            const TimingOptions& options);

// Time in the base divided by time in the other: 2 means that the other is twice as fast.
struct TimeRatio {
  double ratio = 1;
  Interval interval = {};     // 95 %, between sessions; from 0 to infinity where it is withheld
  std::string withheld = {};  // why nothing is claimed, one sentence; empty: a ratio is claimed
  enum class Verdict : std::uint8_t { Faster, Slower, NotSure, Withheld };
  Verdict verdict() const;
};

// Takes the samples of one session after the other. Sessions with the same number ran side by side.
TimeRatio time_ratio(std::span<const double> base, std::span<const std::size_t> base_sessions,
                     std::span<const double> other, std::span<const std::size_t> other_sessions);
// The ratio end to end.
TimeRatio time_ratio(const TimedPair& pair);

// Seconds of each layer in each recorded run, from the kernels whose first known source is one of
// its nodes. `names` holds the nodes' names for each layer. A list is empty if the layer has no
// kernel of its own.
std::vector<std::vector<double>> layer_samples(const Timing& timing,
                                               const std::vector<std::vector<std::string>>& names);
// The ratio of each layer; withheld if the layer has no kernel of its own in one of the models, or
// if the ratio of the whole is withheld.
std::vector<TimeRatio> layer_ratios(const TimedPair& pair,
                                    const std::vector<std::vector<std::string>>& names);

}  // namespace strata
