#include "measure/runs.h"

#include <algorithm>

namespace strata {

namespace {

// Keeps those of the counting runs during which the processor had its full pace.
void keep_full_pace(const Runs& from, const Pace& pace, std::vector<bool>& counts) {
  if (from.pace.size() != counts.size()) return;
  std::vector<double> tests;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i]) tests.push_back(from.pace[i]);
  const double slowest = slowest_test_that_counts(tests, pace);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = counts[i] && from.pace[i] <= slowest;
}

// The runs of one kind that count, the number from each session, and a flag for each run.
std::vector<bool> keep(const Runs& from, int threads, const Pace& pace, std::vector<double>& runs,
                       std::vector<std::size_t>& sessions) {
  const bool known = from.waits.size() == from.wall.size();
  const bool one = threads == 1;
  std::vector<bool> counts(from.wall.size(), true);
  if (known && !one)
    for (std::size_t i = 0; i < from.wall.size(); ++i)
      counts[i] = from.waits[i] <= kUndisturbedWait * from.wall[i];
  const auto kept = static_cast<std::size_t>(std::count(counts.begin(), counts.end(), true));
  if (kept < std::min(kRunsForClaim, from.wall.size())) counts.assign(from.wall.size(), true);
  keep_full_pace(from, pace, counts);
  std::size_t at = 0;
  for (const std::size_t size : from.sessions) {
    const std::size_t before = runs.size();
    for (const std::size_t end = at + size; at < end; ++at)
      if (counts[at])
        runs.push_back(from.wall[at] -
                       (known && one ? std::min(from.waits[at], from.wall[at]) : 0));
    sessions.push_back(runs.size() - before);
  }
  return counts;
}

}  // namespace

void combine(Timing& timing, KernelCollector& kernels, const Runs& plain, const Runs& recorded,
             int threads) {
  timing.wall = plain.wall;
  timing.waits = plain.waits;
  std::vector<double> tests = plain.pace;
  tests.insert(tests.end(), recorded.pace.begin(), recorded.pace.end());
  timing.pace = pace_of(tests);
  keep(plain, threads, timing.pace, timing.runs, timing.sessions);
  const double whole = timing.runs.empty() ? 0 : summarize(timing.runs).median;
  timing.drift = pace_drift(waited_share(plain.wall, plain.waits), timing.pace, whole);
  timing.center = session_center(timing.runs, timing.sessions, timing.drift);
  const std::size_t undisturbed = undisturbed_seconds(timing.wall, timing.waits, threads).size();
  const std::string why = too_few_runs(undisturbed, timing.wall.size());
  if (!why.empty() && !timing.wall.empty()) {
    timing.center.interval.reset();
    timing.center.withheld = why;
  }
  const std::vector<bool> counts =
      keep(recorded, threads, timing.pace, timing.recorded, timing.recorded_sessions);
  kernels.finish(recorded.wall, threads == 1 ? recorded.waits : std::vector<double>(), counts,
                 whole);
}

}  // namespace strata
