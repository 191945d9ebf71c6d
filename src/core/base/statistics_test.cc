#include "strata/base/statistics.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Statistics, KnownNumbers) {
  const Summary summary = summarize(std::vector<double>{5, 1, 4, 2, 3, 100});
  EXPECT_EQ(summary.n, 6u);
  EXPECT_DOUBLE_EQ(summary.median, 3.5);
  EXPECT_DOUBLE_EQ(summary.mad, 1.5);  // |x - 3.5|: .5 .5 1.5 1.5 2.5 96.5
  EXPECT_DOUBLE_EQ(summary.mean, 115.0 / 6);
  EXPECT_DOUBLE_EQ(summary.min, 1);
  EXPECT_DOUBLE_EQ(summary.max, 100);
  EXPECT_EQ(summary.outliers, 1u);
}

TEST(Statistics, TheMedianIsInTheMiddle) {
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{7}), 7);
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median_of(std::vector<double>{9, 1, 5, 2}), 3.5);
  std::vector<double> samples = {4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(median_of(samples), 2.5);
  EXPECT_EQ(samples, (std::vector<double>{4, 3, 2, 1}));
  EXPECT_DOUBLE_EQ(median_in_place(samples), 2.5);
}

TEST(Statistics, OneSampleHasNoSpreadAndNoInterval) {
  const Summary summary = summarize(std::vector<double>{7});
  EXPECT_DOUBLE_EQ(summary.median, 7);
  EXPECT_FALSE(summary.stddev.has_value());
  EXPECT_FALSE(summary.cv.has_value());
  EXPECT_FALSE(summary.interval.has_value());
  EXPECT_EQ(summarize({}).n, 0u);
}

TEST(Statistics, NearestRankIsASample) {
  const std::vector<double> sorted{10, 20, 30, 40, 50};
  EXPECT_DOUBLE_EQ(nearest_rank(sorted, 0.5), 30);
  EXPECT_DOUBLE_EQ(nearest_rank(sorted, 0.2), 10);
  EXPECT_DOUBLE_EQ(nearest_rank(sorted, 0.21), 20);
  EXPECT_DOUBLE_EQ(nearest_rank(sorted, 1.0), 50);
}

TEST(Statistics, HowManySamplesAPercentileNeeds) {
  EXPECT_EQ(samples_needed(0.9), 64u);
  EXPECT_EQ(samples_needed(0.99), 662u);
  EXPECT_EQ(samples_needed(0.999), 6636u);
  std::vector<double> samples(200, 1.0);
  EXPECT_TRUE(summarize(samples).percentile(0.9).has_value());
  EXPECT_FALSE(summarize(samples).percentile(0.99).has_value());
}

// Textbook ranks: for 10 samples the 2nd and 9th, for 20 the 6th and 15th.
TEST(Statistics, IntervalOfTheMedian) {
  const auto ranks = [](int n) {
    std::vector<double> samples;
    for (int i = 1; i <= n; ++i) samples.push_back(i);
    return median_interval(samples);
  };
  EXPECT_FALSE(ranks(5).has_value());
  EXPECT_DOUBLE_EQ(ranks(6)->low, 1);
  EXPECT_DOUBLE_EQ(ranks(10)->low, 2);
  EXPECT_DOUBLE_EQ(ranks(10)->high, 9);
  EXPECT_DOUBLE_EQ(ranks(20)->low, 6);
  EXPECT_DOUBLE_EQ(ranks(20)->high, 15);
  EXPECT_DOUBLE_EQ(ranks(100)->low, 40);
  // Exact sums of binomial coefficients in Python: 2^-1100 is not a double.
  EXPECT_DOUBLE_EQ(ranks(1100)->low, 518);
  EXPECT_DOUBLE_EQ(ranks(2000)->low, 956);
  EXPECT_NEAR(ranks(10'000)->low, 4902, 2);
}

TEST(Statistics, IntervalCoversTheMedianAsOftenAsItSays) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0, 0.3);  // its median is 1
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(25);
    for (double& sample : samples) sample = noise(random);
    const auto interval = summarize(samples).interval;
    covered += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
  }
  EXPECT_GE(covered, kTrials * 94 / 100);
  EXPECT_LE(covered, kTrials * 99 / 100);
}

TEST(Statistics, WarmUpEndsWhenTheTrendDoes) {
  std::vector<double> samples;
  int runs = 0;
  while (!has_settled(samples)) {
    samples.push_back(100 + 200 * std::exp(-runs / 4.0) + (runs % 2 == 0 ? 0.5 : -0.5));
    ASSERT_LT(++runs, 100);
  }
  EXPECT_GT(runs, 12);
  EXPECT_LT(samples.back(), 110);
  // Samples that keep getting faster have not settled, however many there are.
  samples.clear();
  for (int i = 0; i < 20; ++i) {
    samples.push_back(200 - 3 * i);
    EXPECT_FALSE(has_settled(samples)) << i;
  }
  EXPECT_TRUE(has_settled(std::vector<double>(8, 5.0)));
  EXPECT_FALSE(has_settled(std::vector<double>(7, 5.0)));
}

}  // namespace
}  // namespace strata
