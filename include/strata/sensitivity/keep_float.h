// Chooses which layers of an int8 model stay in float so that its answers are good enough.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/edit/layers.h"
#include "strata/sensitivity/sensitivity.h"

namespace strata {

// The quality that answers must reach; nullopt: no requirement.
struct AnswerTarget {
  std::optional<double> min_sqnr;  // dB
  std::optional<double> max_drop;  // the share of rows whose class may change
  // If not 0, the SQNR must also be likely to be met on this many other samples, judging by how the
  // samples at hand vary: in 97.5 % of cases for a single model, outliers aside.
  std::size_t others = 0;
  bool met_by(std::span<const SampleScore> scores) const;
  // The requirement, and what the answers reach: `SQNR 20 dB, another class for at most 1 %`, `SQNR
  // 11.2 dB, another class for 3.1 %`.
  std::string words() const;
  std::string found_in(std::span<const SampleScore> scores) const;
};

struct KeptSteps {
  std::vector<bool> kept;           // one per step
  std::vector<SampleScore> scores;  // scores of the resulting model
  bool met = false;                 // whether the target is met; if not, all steps were tried
  int tried = 0;                    // models that were built and compared
};

// Steps are layers or activations that may stay in float, in order of their worth (keep_order()).
// It takes the shortest prefix that meets the target, found by doubling and halving; then each step
// of the prefix, the last first, is given back if the target is still met. `scores_of` builds and
// judges a model.
Result<KeptSteps> choose_kept(
    std::size_t steps, const AnswerTarget& target,
    const std::function<Result<std::vector<SampleScore>>(const std::vector<bool>&)>& scores_of);

// Finds out whether layers that are slower in int8 pay off in float: converting to floats and back
// has a cost that is in no layer's own time. `seconds_lost` has one entry per layer; layers that
// lose nothing, 0 or less, are never returned. First all others are tried, then the half that loses
// more, and so on, at most three times. Returns the first set that `pays`, or none.
Result<std::vector<std::size_t>> choose_slow(
    std::span<const double> seconds_lost,
    const std::function<Result<bool>(std::span<const std::size_t>)>& pays);

}  // namespace strata
