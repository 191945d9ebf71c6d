// Which layers of an int8 model stay in floats so that its answers are good enough.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "strata/base/result.h"
#include "strata/quant/layers.h"
#include "strata/quant/sensitivity.h"

namespace strata {

// What answers must have; nullopt: nothing is asked.
struct AnswerTarget {
  std::optional<double> min_sqnr;  // dB
  std::optional<double> max_drop;  // share of rows that may get another class
  // If not 0, the SQNR must also be likely to be met on this many other samples, judged by how
  // those at hand vary: in 97.5 % of the cases for a single model, without outliers.
  std::size_t others = 0;
  bool met_by(std::span<const SampleScore> scores) const;
};

struct KeptSteps {
  std::vector<bool> kept;           // by step
  std::vector<SampleScore> scores;  // of the model that this gives
  bool met = false;                 // the target; else all steps are tried and it is not
  int tried = 0;                    // models that were made and compared
};

// Steps are layers or activations that may stay in floats, in the order of their worth
// (keep_order()). The shortest beginning that meets the target is taken, found by doubling and
// halving; then each of its steps, the last first, is given back if the target is still met.
// `scores_of` makes and judges a model.
Result<KeptSteps> choose_kept(
    std::size_t steps, const AnswerTarget& target,
    const std::function<Result<std::vector<SampleScore>>(const std::vector<bool>&)>& scores_of);

// Layers that are slower in int8, and whether they pay in floats: going to floats and back has
// its cost, which is in no layer's own time. `seconds_lost` by layer; those that lose nothing,
// 0 or less, are never given back. All others are tried, then the half that loses more, and so
// on, three times at most; the first that `pays` are returned, or none.
Result<std::vector<std::size_t>> choose_slow(
    std::span<const double> seconds_lost,
    const std::function<Result<bool>(std::span<const std::size_t>)>& pays);

}  // namespace strata
