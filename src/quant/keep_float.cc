#include "strata/quant/keep_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/student.h"
#include "quant/ratio_db.h"

namespace strata {

namespace {

constexpr std::size_t kMostGivenBack = 32;  // trials
constexpr int kSlowTrials = 3;

// What SQNR varies by from these samples to as many others; infinite if that cannot be known.
double margin(std::span<const SampleScore> scores, std::size_t others) {
  std::vector<double> signal, noise;
  for (const SampleScore& one : scores) {
    signal.push_back(one.signal);
    noise.push_back(one.noise);
  }
  const auto sqnr = ratio_db(signal, noise);
  if (!sqnr) return std::numeric_limits<double>::infinity();
  const auto count = static_cast<double>(scores.size());
  return student_quantile(count - 1) * sqnr->error *
         std::sqrt(1 + count / static_cast<double>(others));
}

}  // namespace

bool AnswerTarget::met_by(std::span<const SampleScore> scores) const {
  if (min_sqnr) {
    const auto sqnr = value(Quality::Sqnr, scores);
    if (!sqnr || *sqnr < *min_sqnr) return false;
    if (others > 0 && std::isfinite(*sqnr) && *sqnr - margin(scores, others) < *min_sqnr)
      return false;
  }
  if (max_drop) {
    const auto top1 = value(Quality::Top1, scores);
    if (!top1 || 1 - *top1 / 100 > *max_drop) return false;
  }
  return true;
}

Result<KeptSteps> choose_kept(
    std::size_t steps, const AnswerTarget& target,
    const std::function<Result<std::vector<SampleScore>>(const std::vector<bool>&)>& scores_of) {
  KeptSteps best;
  const auto attempt = [&](const std::vector<bool>& keep) -> Result<bool> {
    auto scores = scores_of(keep);
    if (!scores) return tl::unexpected(scores.error());
    ++best.tried;
    const bool met = target.met_by(*scores);
    if (met || best.kept.empty()) {
      best.kept = keep;
      best.scores = std::move(*scores);
      best.met = met;
    }
    return met;
  };
  const auto first = [&](std::size_t kept) {
    std::vector<bool> keep(steps, false);
    std::fill_n(keep.begin(), kept, true);
    return keep;
  };

  std::size_t below = 0, enough = 0;  // kept steps that do not suffice, and that do
  for (std::size_t kept = 0;; kept = kept == 0 ? 1 : std::min(2 * kept, steps)) {
    auto met = attempt(first(kept));
    if (!met) return tl::unexpected(met.error());
    enough = kept;
    if (*met) break;
    below = kept;
    if (kept == steps) return best;
  }
  while (enough > below + 1) {
    const std::size_t middle = below + (enough - below) / 2;
    auto met = attempt(first(middle));
    if (!met) return tl::unexpected(met.error());
    (*met ? enough : below) = middle;
  }

  std::vector<bool> keep = first(enough);
  std::size_t trials = 0;
  for (std::size_t i = enough < 2 ? 0 : enough - 1; i-- > 0 && trials < kMostGivenBack; ++trials) {
    keep[i] = false;
    auto met = attempt(keep);
    if (!met) return tl::unexpected(met.error());
    if (!*met) keep[i] = true;
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
