#include "strata/measure/undisturbed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/student.h"

namespace strata {

std::string too_few_runs(std::size_t kept, std::size_t measured, std::string_view name) {
  if (kept >= kRunsForClaim) return "";
  const std::string of = name.empty() ? "" : fmt::format(" of {}", name);
  if (measured < kRunsForClaim)
    return fmt::format("{} {}{} {} measured, too few to go by: it takes {}; allow more time",
                       measured, measured == 1 ? "run" : "runs", of, measured == 1 ? "was" : "were",
                       kRunsForClaim);
  return fmt::format(
      "{} of {} runs{} were undisturbed by other work, too few to go by: it takes {}; allow more "
      "time, or wait until the machine is quiet",
      kept, measured, of, kRunsForClaim);
}

std::vector<double> undisturbed_seconds(std::span<const double> wall, std::span<const double> waits,
                                        int threads, std::span<const double> pace, double slowest) {
  if (waits.size() != wall.size()) return {wall.begin(), wall.end()};
  const bool paced = pace.size() == wall.size();
  std::vector<double> out;
  for (std::size_t i = 0; i < wall.size(); ++i)
    if (paced && pace[i] > slowest)
      continue;
    else if (threads == 1)
      out.push_back(std::max(wall[i] - waits[i], 0.0));
    else if (waits[i] <= kUndisturbedWait * wall[i])
      out.push_back(wall[i]);
  return out;
}

double waited_share(std::span<const double> wall, std::span<const double> waits) {
  const double all = std::accumulate(wall.begin(), wall.end(), 0.0);
  if (waits.size() != wall.size() || !(all > 0)) return -1;
  return std::accumulate(waits.begin(), waits.end(), 0.0) / all;
}

// Measured on two virtual processors that share their cores with unknown neighbours, in pieces
// of 3 s: medians of runs at full pace differed by 1.6 % (fp32) and 2.8 % (int8), one standard
// deviation, and what was left followed the pace of the memory.
double pace_drift(double waited, const Pace& pace, double run_seconds) {
  const double usual = waited > kOthersAreThere ? 0.04 : 0.03;
  return std::hypot(usual, std::max(0.0, pace.slowed) * unseen_part(run_seconds));
}

SessionCenter session_center(std::span<const double> medians, double within, double drift) {
  SessionCenter out;
  std::vector<double> logs;
  for (const double median : medians)
    if (median > 0) logs.push_back(std::log(median));
  if (logs.empty()) {
    out.withheld = "nothing was measured";
    return out;
  }
  const auto count = static_cast<double>(logs.size());
  double mean = 0, squares = 0;
  for (const double value : logs) mean += value / count;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  out.value = std::exp(mean);
  constexpr double kUsualFreedom = 4;
  const bool few = logs.size() < 3;
  const double between =
      few ? kUsualSpread * kUsualSpread + within * within : squares / (count - 1);
  const double error = std::sqrt(std::max(between, within * within / 2) / count);
  const double freedom = few ? kUsualFreedom : count - 1;
  const double half = std::hypot(student_quantile(freedom) * error, drift);
  out.interval = Interval{std::exp(mean - half), std::exp(mean + half)};
  return out;
}

SessionCenter session_center(std::span<const double> samples, std::span<const std::size_t> sessions,
                             double drift) {
  std::vector<double> medians;
  double within = 0;
  std::size_t at = 0;
  for (const std::size_t size : sessions) {
    if (size == 0 || at + size > samples.size()) continue;
    const Summary own = summarize(samples.subspan(at, size));
    at += size;
    medians.push_back(own.median);
    // The standard error of a median of normally distributed times, from their MAD.
    const double error = 1.2533 * 1.4826 * own.mad / std::sqrt(static_cast<double>(size));
    within += own.median > 0 ? error * error / (own.median * own.median) : 0;
  }
  within /= static_cast<double>(std::max<std::size_t>(1, medians.size()));
  SessionCenter out = session_center(medians, std::sqrt(within), drift);
  if (at >= kRunsForClaim || medians.empty()) return out;
  out.interval.reset();
  out.withheld = too_few_runs(at, at);
  return out;
}

}  // namespace strata
