#include "strata/measure/undisturbed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata {
namespace {

using ::testing::ElementsAre;

TEST(Undisturbed, OneThreadRunsWithoutItsWaiting) {
  const std::vector<double> wall = {3, 2, 5}, waits = {1, 0, 3};
  EXPECT_THAT(undisturbed_seconds(wall, waits, 1), ElementsAre(2, 2, 2));
  EXPECT_THAT(undisturbed_seconds(wall, {}, 1), ElementsAre(3, 2, 5));
}

TEST(Undisturbed, OfSeveralThreadsOnlyRunsThatDidNotWait) {
  const std::vector<double> wall = {3, 2, 5}, waits = {1, 0, 0.04};
  EXPECT_THAT(undisturbed_seconds(wall, waits, 2), ElementsAre(2, 5));
  EXPECT_THAT(undisturbed_seconds(wall, waits, 0), ElementsAre(2, 5));
}

TEST(SessionCenter, OfNothingIsWithheld) {
  EXPECT_FALSE(session_center(std::vector<double>(), 0, 0.02).withheld.empty());
}

// Programs of five sessions each: sessions differ by 2 %, programs by a slow drift of 1 %.
// Any two intervals should overlap, and most should cover the truth.
TEST(SessionCenter, IntervalsHoldBetweenPrograms) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  constexpr int kPrograms = 1000;
  int covered = 0, overlaps = 0;
  Interval last{};
  for (int program = 0; program < kPrograms; ++program) {
    const double drift = 0.01 * normal(random);
    std::vector<double> samples;
    for (int session = 0; session < 5; ++session) {
      const double own = drift + 0.02 * normal(random);
      for (int run = 0; run < 40; ++run) samples.push_back(std::exp(own + 0.03 * normal(random)));
    }
    const SessionCenter center =
        session_center(samples, std::vector<std::size_t>{40, 40, 40, 40, 40}, pace_drift(0));
    ASSERT_TRUE(center.interval);
    covered += center.interval->low <= 1 && 1 <= center.interval->high ? 1 : 0;
    overlaps +=
        program > 0 && center.interval->low <= last.high && last.low <= center.interval->high ? 1
                                                                                              : 0;
    last = *center.interval;
  }
  EXPECT_GE(covered, 0.93 * kPrograms);
  EXPECT_GE(overlaps, 0.95 * (kPrograms - 1));
}

TEST(SessionCenter, OneSessionAssumesTheUsualSpread) {
  const std::vector<double> samples(20, 1.0);
  const SessionCenter one = session_center(samples, std::vector<std::size_t>{20}, 0.02);
  const SessionCenter five = session_center(samples, std::vector<std::size_t>{4, 4, 4, 4, 4}, 0.02);
  ASSERT_TRUE(one.interval && five.interval);
  EXPECT_GT(one.interval->high, five.interval->high);
  EXPECT_NEAR(five.interval->high, 1.02, 1e-3);
  EXPECT_GT(pace_drift(0.3), pace_drift(0.001));
  EXPECT_DOUBLE_EQ(waited_share(std::vector{3.0, 1.0}, std::vector{1.0, 0.0}), 0.25);
  EXPECT_DOUBLE_EQ(waited_share(std::vector{3.0, 1.0}, {}), -1);
}

}  // namespace
}  // namespace strata
