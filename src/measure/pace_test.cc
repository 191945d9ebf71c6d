#include "strata/measure/pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "strata/measure/undisturbed.h"

namespace strata {
namespace {

TEST(PaceTest, TakesSomeTime) {
  const double seconds = pace_test_seconds();
  EXPECT_GT(seconds, 1e-6);
  EXPECT_TRUE(std::isfinite(seconds));
}

TEST(Pace, IsTheBestAndHowFarTheRestIsFromIt) {
  std::vector<double> tests(80, 1.0);
  tests.resize(100, 1.5);
  const Pace pace = pace_of(tests);
  EXPECT_DOUBLE_EQ(pace.best, 1);
  EXPECT_NEAR(pace.slowed, 0.1, 1e-12);
}

// A test that another process interrupted took long for another reason.
TEST(Pace, OneLongTestDoesNotCountForMore) {
  std::vector<double> tests(99, 1.0);
  tests.push_back(1000);
  EXPECT_NEAR(pace_of(tests).slowed, 0.01, 1e-12);
}

TEST(Pace, OfNothingIsNotKnown) {
  const Pace none = pace_of({});
  EXPECT_EQ(none.best, 0);
  EXPECT_EQ(none.slowed, -1);
  EXPECT_EQ(slowest_test_that_counts({}, none), std::numeric_limits<double>::infinity());
  EXPECT_EQ(pace_of(std::vector<double>{0, 0}).slowed, -1);
}

TEST(Pace, RunsWithinThreePercentCount) {
  std::vector<double> tests(50, 1.0);
  tests.resize(100, 1.2);
  EXPECT_NEAR(slowest_test_that_counts(tests, pace_of(tests)), 1.03, 1e-12);
}

// A neighbour that never leaves: the six best, or a tenth.
TEST(Pace, NeverFewerThanATenth) {
  std::vector<double> tests;
  for (int i = 0; i < 100; ++i) tests.push_back(1 + 0.1 * i);
  const Pace pace{.best = 1, .slowed = 0.5};
  EXPECT_NEAR(slowest_test_that_counts(tests, pace), 1.9, 1e-12);
  const std::vector<double> few = {1, 2, 3, 4};
  EXPECT_EQ(slowest_test_that_counts(few, pace), 4);
}

TEST(Pace, SlowedRunsDoNotCount) {
  const std::vector<double> wall = {2, 3, 2}, waits = {0, 0, 1}, pace = {1, 1.5, 1};
  EXPECT_EQ(undisturbed_seconds(wall, waits, 1, pace, 1.03), (std::vector<double>{2, 1}));
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Programs of 300 runs of 8 ms, beside a neighbour that stays for 30 ms, takes a third of the
// pace, and is there for another share of the time in each program. Truth is 8 ms.
TEST(Pace, ProgramsAgreeWithoutTheirSlowedRuns) {
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

TEST(Pace, LongRunsHideMore) {
  EXPECT_LT(unseen_part(1e-3), 0.05);
  EXPECT_GT(unseen_part(1), 0.95);
  const Pace slowed{.best = 1, .slowed = 0.2}, full{.best = 1, .slowed = 0};
  EXPECT_GT(pace_drift(0, slowed, 1), pace_drift(0, slowed, 1e-3));
  EXPECT_GT(pace_drift(0, slowed, 1), pace_drift(0, full, 1));
}

}  // namespace
}  // namespace strata
