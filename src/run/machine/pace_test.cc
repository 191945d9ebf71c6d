#include "strata/machine/pace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

// With a neighbour that never leaves, the six best runs or the best tenth count.
TEST(Pace, NeverFewerThanATenth) {
  std::vector<double> tests;
  tests.reserve(100);
  for (int i = 0; i < 100; ++i) tests.push_back(1 + 0.1 * i);
  const Pace pace{.best = 1, .slowed = 0.5};
  EXPECT_NEAR(slowest_test_that_counts(tests, pace), 1.9, 1e-12);
  const std::vector<double> few = {1, 2, 3, 4};
  EXPECT_EQ(slowest_test_that_counts(few, pace), 4);
}

}  // namespace
}  // namespace strata
