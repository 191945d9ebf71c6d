#include "strata/quant/keep_float.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

constexpr std::size_t kMostGivenBack = 32;  // trials
constexpr int kSlowTrials = 3;

}  // namespace

bool AnswerTarget::met_by(std::span<const SampleScore> scores) const {
  if (min_sqnr) {
    const auto sqnr = value(Quality::Sqnr, scores);
    if (!sqnr || *sqnr < *min_sqnr) return false;
  }
  if (max_drop) {
    const auto top1 = value(Quality::Top1, scores);
    if (!top1 || 1 - *top1 / 100 > *max_drop) return false;
  }
  return true;
}

Result<KeptLayers> choose_kept(
    std::span<const double> drops, std::span<const double> seconds_saved,
    const AnswerTarget& target,
    const std::function<Result<std::vector<SampleScore>>(const std::vector<bool>&)>& scores_of) {
  const std::size_t count = drops.size();
  // A layer that int8 does not make faster loses nothing in floats.
  double least = 0;
  for (const double seconds : seconds_saved)
    if (seconds > 0) least = least == 0 ? seconds : std::min(least, seconds);
  if (least == 0) least = 1;
  const auto worth = [&](std::size_t l) {
    return drops[l] / std::max(seconds_saved[l], least * 1e-3);
  };
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return worth(a) > worth(b); });

  KeptLayers best;
  const auto attempt = [&](const std::vector<bool>& keep) -> Result<bool> {
    auto scores = scores_of(keep);
    if (!scores) return tl::unexpected(scores.error());
    ++best.tried;
    const bool met = target.met_by(*scores);
    if (met || best.keep_float.empty()) {
      best.keep_float = keep;
      best.scores = std::move(*scores);
      best.met = met;
    }
    return met;
  };
  const auto first = [&](std::size_t kept) {
    std::vector<bool> keep(count, false);
    for (std::size_t i = 0; i < kept; ++i) keep[order[i]] = true;
    return keep;
  };

  auto met = attempt(first(0));
  if (!met || *met) return met ? Result<KeptLayers>(std::move(best)) : tl::unexpected(met.error());
  std::size_t below = 0, enough = 0;  // kept layers that do not suffice, and that do
  for (std::size_t kept = 1;; kept = std::min(2 * kept, count)) {
    // With all layers in floats there is nothing left to judge.
    if (kept >= count) {
      enough = count;
      break;
    }
    met = attempt(first(kept));
    if (!met) return tl::unexpected(met.error());
    if (*met) {
      enough = kept;
      break;
    }
    below = kept;
  }
  while (enough - below > 1) {
    const std::size_t middle = below + (enough - below) / 2;
    met = attempt(first(middle));
    if (!met) return tl::unexpected(met.error());
    (*met ? enough : below) = middle;
  }
  if (!best.met) return best;

  std::vector<bool> keep = first(enough);
  std::size_t trials = 0;
  for (std::size_t i = enough - 1; i-- > 0 && trials < kMostGivenBack; ++trials) {
    keep[order[i]] = false;
    met = attempt(keep);
    if (!met) return tl::unexpected(met.error());
    if (!*met) keep[order[i]] = true;
  }
  return best;
}

Result<std::vector<std::size_t>> choose_slow(
    std::span<const double> seconds_lost,
    const std::function<Result<bool>(std::span<const std::size_t>)>& pays) {
  std::vector<std::size_t> slow;
  for (std::size_t l = 0; l < seconds_lost.size(); ++l)
    if (seconds_lost[l] > 0) slow.push_back(l);
  std::stable_sort(slow.begin(), slow.end(),
                   [&](std::size_t a, std::size_t b) { return seconds_lost[a] > seconds_lost[b]; });
  for (int trial = 0; trial < kSlowTrials && !slow.empty(); ++trial) {
    const auto better = pays(slow);
    if (!better) return tl::unexpected(better.error());
    if (*better) return slow;
    slow.resize(slow.size() / 2);
  }
  return std::vector<std::size_t>();
}

}  // namespace strata
