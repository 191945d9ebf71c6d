#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bench/schedule.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

TEST(LoadMoments, AtAFixedRate) {
  LoadMode load{.kind = LoadMode::Kind::Rate, .rate = 4};
  EXPECT_THAT(load_moments(load, 1, 0), ElementsAre(0, 0.25, 0.5, 0.75));
  load.rate = 0.1;  // gives at least one
  EXPECT_THAT(load_moments(load, 1, 0), ElementsAre(0));
}

// The variance of a Poisson process's counts equals their mean.
TEST(LoadMoments, AtRandomWithTheSameMean) {
  const LoadMode load{.kind = LoadMode::Kind::Rate, .rate = 50, .poisson = true};
  double sum = 0, squares = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    const auto moments = load_moments(load, 2, static_cast<std::uint64_t>(i));
    EXPECT_TRUE(std::is_sorted(moments.begin(), moments.end()));
    EXPECT_LT(moments.back(), 2);
    const auto count = static_cast<double>(moments.size());
    sum += count / kDraws;
    squares += count * count / kDraws;
  }
  EXPECT_NEAR(sum, 100, 1);                   // 4.5 standard errors
  EXPECT_NEAR(squares - sum * sum, 100, 15);  // 4.7
  EXPECT_EQ(load_moments(load, 2, 3), load_moments(load, 2, 3));
  EXPECT_NE(load_moments(load, 2, 3), load_moments(load, 2, 4));
}

struct Course {
  std::vector<double> starts, medians;
};

Course course(double change, double noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Course out;
  for (int i = 0; i < 200; ++i) {
    out.starts.push_back(7 + i);
    out.medians.push_back(0.01 * (1 + change * i / 199.0) * (1 + noise * normal(random)));
  }
  return out;
}

TEST(DriftOfARun, IsTheChangeFromStartToEnd) {
  const Course up = course(0.2, 0, 0);
  const auto drift = drift_of(up.starts, up.medians);
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->change, 0.2, 0.002);
  EXPECT_TRUE(drift->certain());
  const Course noisy = course(-0.1, 0.02, 0);
  const auto down = drift_of(noisy.starts, noisy.medians);
  ASSERT_TRUE(down);
  EXPECT_NEAR(down->change, -0.1, 0.02);
  EXPECT_LT(down->interval.high, 0);
}

TEST(DriftOfARun, IsNotClaimedWhereThereIsNone) {
  int claims = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Course flat = course(0, 0.05, seed);
    claims += drift_of(flat.starts, flat.medians)->certain() ? 1 : 0;
  }
  EXPECT_LE(claims, 70);  // the stated level is 5 %
  EXPECT_GE(claims, 30);
  EXPECT_FALSE(drift_of({1, 2, 3}, {1, 1, 1}).has_value());
}

}  // namespace
}  // namespace strata
