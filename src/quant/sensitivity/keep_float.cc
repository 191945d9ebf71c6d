#include "strata/sensitivity/keep_float.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/student.h"
#include "calibrate/ratio_db.h"

namespace strata {

namespace {

constexpr std::size_t kMaxGivenBack = 32;  // trials
constexpr int kSlowTrials = 3;

// Bounds the difference in SQNR between these samples and `others` other ones; infinite if that
// cannot be known.
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
    const auto sqnr = score_of(Quality::Sqnr, scores);
    if (!sqnr || *sqnr < *min_sqnr) return false;
    if (others > 0 && std::isfinite(*sqnr) && *sqnr - margin(scores, others) < *min_sqnr)
      return false;
  }
  if (max_drop) {
    const auto top1 = score_of(Quality::Top1, scores);
    if (!top1 || 1 - *top1 / 100 > *max_drop) return false;
  }
  return true;
}

std::string AnswerTarget::words() const {
  std::vector<std::string> asked;
  if (min_sqnr) asked.push_back(fmt::format("SQNR {:g} dB", *min_sqnr));
  if (max_drop) asked.push_back(fmt::format("another class for at most {:g} %", 100 * *max_drop));
  return fmt::format("{}", fmt::join(asked, ", "));
}

std::string AnswerTarget::found_in(std::span<const SampleScore> scores) const {
  const auto sqnr = score_of(Quality::Sqnr, scores);
  const auto top1 = score_of(Quality::Top1, scores);
  std::vector<std::string> found;
  if (min_sqnr) found.push_back(sqnr ? fmt::format("SQNR {:.1f} dB", *sqnr) : "no SQNR");
  if (max_drop)
    found.push_back(top1 ? fmt::format("another class for {:.1f} %", 100 - *top1)
                         : "no classes to compare");
  return fmt::format("{}", fmt::join(found, ", "));
}

Result<KeptSteps> choose_kept(
    std::size_t steps, const AnswerTarget& target,
    const std::function<Result<std::vector<SampleScore>>(const std::vector<bool>&)>& scores_of) {
  KeptSteps best;
  const auto attempt = [&](const std::vector<bool>& keep) -> Result<bool> {
    auto scores = scores_of(keep);
    if (!scores) return failure(scores);
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

  std::size_t below = 0, enough = 0;  // kept steps that are too few, and that are enough
  for (std::size_t kept = 0;; kept = kept == 0 ? 1 : std::min(2 * kept, steps)) {
    auto met = attempt(first(kept));
    if (!met) return failure(met);
    enough = kept;
    if (*met) break;
    below = kept;
    if (kept == steps) return best;
  }
  while (enough > below + 1) {
    const std::size_t middle = below + (enough - below) / 2;
    auto met = attempt(first(middle));
    if (!met) return failure(met);
    (*met ? enough : below) = middle;
  }

  std::vector<bool> keep = first(enough);
  std::size_t trials = 0;
  for (std::size_t i = enough < 2 ? 0 : enough - 1; i-- > 0 && trials < kMaxGivenBack; ++trials) {
    keep[i] = false;
    auto met = attempt(keep);
    if (!met) return failure(met);
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
    if (!better) return failure(better);
    if (*better) return slow;
    slow.resize(slow.size() / 2);
  }
  return std::vector<std::size_t>();
}

}  // namespace strata
