// Runs beside a neighbour on the same core, and the ones that are kept.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "strata/base/statistics.h"
#include "strata/machine/pace.h"
#include "strata/measure/undisturbed.h"

namespace strata {
namespace {

TEST(Slowed, SlowedRunsDoNotCount) {
  const std::vector<double> wall = {2, 3, 2}, waits = {0, 0, 1}, pace = {1, 1.5, 1};
  EXPECT_EQ(undisturbed_seconds(wall, waits, 1, pace, 1.03), (std::vector<double>{2, 1}));
}

// Programs of 300 runs of 8 ms, beside a neighbour that stays for 30 ms at a time, takes a third of
// the pace, and is present for a different share of the time in each program. The true time is 8
// ms.
TEST(Slowed, ProgramsAgreeWithoutTheirSlowedRuns) {
  constexpr double kRun = 8e-3, kStays = 0.03, kSlows = 1.5;
  std::mt19937_64 random(5);
  double worst_of_all = 0, worst_of_paced = 0;
  for (int program = 0; program < 100; ++program) {
    const double share = std::uniform_real_distribution<>(0.05, 0.6)(random);
    bool there = false;
    double until = 0;
    std::vector<double> wall, tests;
    for (int run = 0; run < 300; ++run) {
      double todo = kRun, took = 0, test = there ? kSlows : 1;
      while (todo > 0) {
        if (until <= 0) {
          there = !there;
          const double mean = there ? kStays : kStays * (1 - share) / share;
          until = std::exponential_distribution<>(1 / mean)(random);
        }
        const double pace = there ? kSlows : 1, part = std::min(todo, until / pace);
        todo -= part, until -= part * pace, took += part * pace;
      }
      test = std::max(test, there ? kSlows : 1);
      wall.push_back(took);
      tests.push_back(test);
    }
    const std::vector<double> waits(wall.size(), 0.0);
    const std::vector<double> paced =
        undisturbed_seconds(wall, waits, 1, tests, slowest_test_that_counts(tests, pace_of(tests)));
    worst_of_all = std::max(worst_of_all, median_of(wall) / kRun - 1);
    worst_of_paced = std::max(worst_of_paced, median_of(paced) / kRun - 1);
  }
  EXPECT_GT(worst_of_all, 0.2);
  EXPECT_LT(worst_of_paced, 0.03);
}

TEST(Slowed, LongRunsHideMore) {
  EXPECT_LT(unseen_part(1e-3), 0.05);
  EXPECT_GT(unseen_part(1), 0.95);
  const Pace slowed{.best = 1, .slowed = 0.2}, full{.best = 1, .slowed = 0};
  EXPECT_GT(pace_drift(0, slowed, 1), pace_drift(0, slowed, 1e-3));
  EXPECT_GT(pace_drift(0, slowed, 1), pace_drift(0, full, 1));
}

}  // namespace
}  // namespace strata
