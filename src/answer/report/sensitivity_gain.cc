// The gain of leaving one layer in float, if it was measured, compared with the layer's share.
#include <algorithm>
#include <cmath>
#include <span>

#include "report/sensitivity_text.h"
#include "sensitivity/scores.h"

namespace strata {

namespace {

// A share that differs by more from what was measured is wrong: 0.05 is five points of a hundred.
constexpr double kSameShare = 0.05;
// Layers that are compared with the one that brings the most.
constexpr std::size_t kMaxRivals = 16;

std::span<const SampleScore> first(const std::vector<SampleScore>& scores, std::size_t count) {
  return std::span(scores).first(std::min(count, scores.size()));
}

std::optional<double> own_drop(const SensitivityRun& run, std::size_t layer) {
  return drop_of(run.quality, run.result.layers[layer].alone, run.result.baseline);
}

double sum_of_drops(const SensitivityRun& run) {
  double sum = 0;
  for (std::size_t l = 0; l < run.result.layers.size(); ++l) sum += own_drop(run, l).value_or(0);
  return sum;
}

// True if a loss of `other` that is larger than that of `best` may come from the samples.
bool may_be_as_good(const SensitivityRun& run, const std::vector<SampleScore>& best,
                    const std::vector<SampleScore>& other) {
  const auto difference = drop_difference(run.quality, other, best, run.result.baseline);
  return difference && difference->low <= 0;
}

}  // namespace

std::optional<double> gain_of(const SensitivityRun& run, const std::vector<SampleScore>& left_out) {
  // With a budget, fewer samples are measured than of all layers together.
  const std::size_t count = std::min(left_out.size(), run.result.joint.size());
  if (count == 0) return std::nullopt;
  const auto baseline = first(run.result.baseline, count);
  const auto all = drop_of(run.quality, first(run.result.joint, count), baseline);
  const auto rest = drop_of(run.quality, first(left_out, count), baseline);
  if (!all || !rest || !(*all > 0)) return std::nullopt;
  return 1 - *rest / *all;
}

std::optional<double> left_out_gain(const SensitivityRun& run, std::size_t layer) {
  return gain_of(run, run.result.layers[layer].left_out);
}

const PairScore* most_gained_pair(const SensitivityRun& run) {
  const PairScore* best = nullptr;
  for (const PairScore& pair : run.result.pairs) {
    const auto gain = gain_of(run, pair.left_out);
    if (gain && (best == nullptr || *gain > *gain_of(run, best->left_out))) best = &pair;
  }
  return best;
}

std::optional<std::size_t> most_gained(const SensitivityRun& run) {
  std::optional<std::size_t> best;
  for (std::size_t l = 0; l < run.result.layers.size(); ++l)
    if (left_out_gain(run, l) && (!best || *left_out_gain(run, l) > *left_out_gain(run, *best)))
      best = l;
  return best;
}

std::vector<std::size_t> gain_as_much(const SensitivityRun& run) {
  std::vector<std::size_t> out;
  const auto best = most_gained(run);
  if (!best) return out;
  for (std::size_t l = 0; l < run.result.layers.size(); ++l)
    if (const auto gain = left_out_gain(run, l); l != *best && gain && *gain > 0) out.push_back(l);
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) {
    return *left_out_gain(run, a) > *left_out_gain(run, b);
  });
  out.resize(std::min(out.size(), kMaxRivals));
  std::erase_if(out, [&](std::size_t l) {
    return !may_be_as_good(run, run.result.layers[*best].left_out, run.result.layers[l].left_out);
  });
  return out;
}

bool gains_as_much(const SensitivityRun& run, const PairScore& pair) {
  const PairScore* best = most_gained_pair(run);
  const auto gain = gain_of(run, pair.left_out);
  if (best == nullptr || !gain || !(*gain > 0)) return false;
  return best == &pair || may_be_as_good(run, best->left_out, pair.left_out);
}

std::optional<double> share_of_drops(const SensitivityRun& run, std::size_t layer) {
  const auto own = own_drop(run, layer);
  const double sum = sum_of_drops(run);
  if (!own || !(sum > 0)) return std::nullopt;
  return *own / sum;
}

std::optional<std::size_t> refuted_share(const SensitivityRun& run) {
  std::optional<std::size_t> worst;
  const double sum = sum_of_drops(run);
  double most = kSameShare;
  for (std::size_t l = 0; l < run.result.layers.size() && sum > 0; ++l) {
    const auto gain = left_out_gain(run, l), own = own_drop(run, l);
    if (!gain || !own || !(std::abs(*gain - *own / sum) > most)) continue;
    most = std::abs(*gain - *own / sum);
    worst = l;
  }
  return worst;
}

bool shares_hold(const SensitivityRun& run) {
  return is_additive(additivity_of(run)) && !refuted_share(run);
}

}  // namespace strata
