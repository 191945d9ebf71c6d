#include "sensitivity/scores.h"

#include <gtest/gtest.h>

#include "strata/sensitivity/sensitivity.h"

namespace strata {
namespace {

std::vector<SampleScore> answers(std::size_t right, std::size_t wrong) {
  std::vector<SampleScore> samples(right + wrong);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].rows = samples[i].labelled = 1;
    samples[i].same = samples[i].right = i < right ? 1 : 0;
  }
  return samples;
}

// Wilson's interval of n right answers out of n begins at 1/(1 + z²/n); z² = 3.841459.
TEST(ValueInterval, AllRightDoesNotMeanThatAllWillBe) {
  for (const Quality quality : {Quality::Top1, Quality::Accuracy}) {
    const auto all = value_interval(quality, answers(8, 0));
    ASSERT_TRUE(all);
    EXPECT_NEAR(all->low, 67.5592, 1e-3);
    EXPECT_NEAR(all->high, 100, 1e-9);
    const auto none = value_interval(quality, answers(0, 100));
    ASSERT_TRUE(none);
    EXPECT_NEAR(none->low, 0, 1e-9);
    EXPECT_NEAR(none->high, 3.6994, 1e-3);
  }
}

TEST(ValueInterval, OtherwiseItIsABootstrap) {
  const auto some = value_interval(Quality::Top1, answers(50, 50));
  ASSERT_TRUE(some);
  EXPECT_NEAR(some->low, 40, 3);  // 50 ± 1.96·sqrt(0.25/100)
  EXPECT_NEAR(some->high, 60, 3);
}

// Samples are hard or easy by up to eight times, and b loses 10 % more than a in each. The mean
// loss of a has a wide interval, but the difference is a tenth of it and never 0.
TEST(DropDifference, DrawsTheSameSamplesForBoth) {
  std::vector<SampleScore> a(16), b(16);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i].signal = b[i].signal = 1;
    a[i].noise = 1e-3 * static_cast<double>(1 + i % 8);
    b[i].noise = 1.1 * a[i].noise;
  }
  const auto difference = drop_difference(Quality::Sqnr, b, a, a);
  ASSERT_TRUE(difference);
  EXPECT_GT(difference->low, 0);
  EXPECT_LT(difference->low, 0.1 * 4.5e-3);  // 4.5e-3: the mean of 1e-3 … 8e-3
  EXPECT_GT(difference->high, 0.1 * 4.5e-3);
  const auto turned = drop_difference(Quality::Sqnr, a, b, a);
  ASSERT_TRUE(turned);
  EXPECT_NEAR(turned->low, -difference->high, 1e-12);
}

// b is better in every second sample and worse in the others by as much.
TEST(DropDifference, ReachesZeroWhereSamplesDisagree) {
  std::vector<SampleScore> a(16), b(16);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i].signal = b[i].signal = 1;
    a[i].noise = 1e-3;
    b[i].noise = i % 2 == 0 ? 0.8e-3 : 1.2e-3;
  }
  const auto difference = drop_difference(Quality::Sqnr, a, b, a);
  ASSERT_TRUE(difference);
  EXPECT_LT(difference->low, 0);
  EXPECT_GT(difference->high, 0);
  EXPECT_FALSE(drop_difference(Quality::Sqnr, std::span(a).first(3), b, a));
}

// Variant b has two of eight answers wrong, variant a none.
TEST(DropDifference, CountsWrongAnswers) {
  const std::vector<SampleScore> right = answers(8, 0), some = answers(6, 2);
  const auto difference = drop_difference(Quality::Accuracy, some, right, right);
  ASSERT_TRUE(difference);
  EXPECT_DOUBLE_EQ(difference->low, 0);
  EXPECT_GE(difference->high, 0.5);
}

}  // namespace
}  // namespace strata
