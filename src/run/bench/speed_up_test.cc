#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/student.h"
#include "strata/bench/bench.h"

namespace strata {
namespace {

// The values are those of printed tables of Student's distribution, two-sided 5 %.
TEST(Student, QuantilesOfThePrintedTables) {
  EXPECT_NEAR(student_quantile(1), 12.706, 1e-3);
  EXPECT_NEAR(student_quantile(2), 4.303, 1e-3);
  EXPECT_NEAR(student_quantile(4), 2.776, 1e-3);
  EXPECT_NEAR(student_quantile(10), 2.228, 1e-3);
  EXPECT_NEAR(student_quantile(30), 2.042, 1e-3);
  EXPECT_NEAR(student_quantile(120), 1.980, 1e-3);
  EXPECT_NEAR(student_quantile(1e9), 1.960, 1e-3);
}

// Blocks of one sample each, with these spreads of the logarithm: of a process, of the moment that
// both share, and of the block itself.
struct Noise {
  double process = 0, moment = 0, block = 0;
};

struct Pair {
  Blocks base, other;
};

Pair made_up(std::mt19937_64& random, const Noise& noise, int processes, int rounds,
             double speed_up = 1) {
  std::normal_distribution<double> normal;
  Pair out;
  for (int p = 0; p < processes; ++p) {
    auto& base = out.base.emplace_back();
    auto& other = out.other.emplace_back();
    const double base_own = noise.process * normal(random);
    const double other_own = noise.process * normal(random) - std::log(speed_up);
    for (int r = 0; r < rounds; ++r) {
      const double moment = noise.moment * normal(random);
      base.push_back({std::exp(base_own + moment + noise.block * normal(random))});
      other.push_back({std::exp(other_own + moment + noise.block * normal(random))});
    }
  }
  return out;
}

double claimed(const Noise& noise, int processes, int rounds, double speed_up = 1) {
  std::mt19937_64 random(7);
  constexpr int kTrials = 1000;
  int claims = 0;
  for (int i = 0; i < kTrials; ++i) {
    const Pair pair = made_up(random, noise, processes, rounds, speed_up);
    claims += compare_blocks(pair.base, pair.other, i).certain() ? 1 : 0;
  }
  return static_cast<double>(claims) / kTrials;
}

// The stated level is 5 %; 1,000 trials at that level give less than 7 % with 99.7 % probability.
TEST(SpeedUp, ClaimsNothingThatIsNotThere) {
  EXPECT_LE(claimed({.block = 0.02}, 3, 7), 0.05);
  EXPECT_LE(claimed({.block = 0.02}, 8, 4), 0.05);
  EXPECT_LE(claimed({.moment = 0.3, .block = 0.02}, 5, 4), 0.05);
  // If processes differ on their own, the number of processes counts, not that of their rounds.
  EXPECT_LE(claimed({.process = 0.01, .block = 0.002}, 3, 7), 0.07);
  EXPECT_LE(claimed({.process = 0.01, .block = 0.002}, 5, 20), 0.07);
  EXPECT_LE(claimed({.process = 0.01, .block = 0.02}, 5, 4), 0.07);
  EXPECT_LE(claimed({.block = 0.02}, 1, 20), 0.07);
}

TEST(SpeedUp, ClaimsWhatIsThere) {
  EXPECT_GE(claimed({.process = 0.001, .moment = 0.3, .block = 0.01}, 5, 4, 1.04), 0.9);
  EXPECT_GE(claimed({.process = 0.001, .moment = 0.3, .block = 0.01}, 8, 7, 0.98), 0.9);
}

TEST(SpeedUp, IsTheRatioOfBlocksThatRanSideBySide) {
  // The machine becomes ten times slower; the ratio stays.
  Blocks base, other;
  for (int p = 0; p < 3; ++p) {
    base.emplace_back();
    other.emplace_back();
    for (int b = 0; b < 7; ++b) {
      const double mood = 1 + 9.0 * (7 * p + b) / 20;
      base.back().push_back({2 * mood, 2 * mood, 4 * mood});
      other.back().push_back({mood, mood, 2 * mood});
    }
  }
  const SpeedUp ratio = compare_blocks(base, other, 0);
  EXPECT_DOUBLE_EQ(ratio.median, 2);
  EXPECT_NEAR(ratio.interval.low, 2, 0.01);
  EXPECT_NEAR(ratio.interval.high, 2, 0.01);
  EXPECT_LT(ratio.interval.low, 2);  // no interval is a point
  EXPECT_TRUE(ratio.certain());
  EXPECT_FALSE(ratio.tail.has_value());
}

TEST(SpeedUp, SaysNothingFromTwoBlocks) {
  const SpeedUp ratio = compare_blocks({{{2.0}, {2.0}}}, {{{1.0}, {1.0}}}, 0);
  EXPECT_EQ(ratio.median, 2);
  EXPECT_FALSE(ratio.certain());
  EXPECT_TRUE(std::isinf(ratio.interval.high));
  EXPECT_FALSE(compare_blocks({}, {}, 0).certain());
  // A variant that died has fewer blocks.
  EXPECT_FALSE(compare_blocks({{{2.0}, {2.0}, {2.0}}, {{2.0}}}, {{{1.0}}}, 0).certain());
}

// Usual times differ by a factor of three, and the slowest hundredth is equal: the ratio of means
// is (98·3 + 2·9) / (98 + 2·9).
TEST(SpeedUp, OfTheTailWhereTheSamplesCarryIt) {
  const auto made = [](double usual, int samples) {
    Blocks blocks;
    for (int p = 0; p < 3; ++p) {
      blocks.emplace_back();
      for (int b = 0; b < 7; ++b) {
        std::vector<double> block(static_cast<std::size_t>(samples), usual);
        block.front() = 9;
        block.back() = 9;
        blocks.back().push_back(std::move(block));
      }
    }
    return blocks;
  };
  const SpeedUp ratio = compare_blocks(made(3, 100), made(1, 100), 0);
  EXPECT_NEAR(ratio.median, 312.0 / 116, 1e-9);
  ASSERT_TRUE(ratio.tail);
  EXPECT_DOUBLE_EQ(*ratio.tail, 1);
  ASSERT_TRUE(ratio.tail_interval);
  EXPECT_LE(ratio.tail_interval->low, 1);
  // 21 blocks of 31 are 651 samples: one block too few for p99.
  EXPECT_FALSE(compare_blocks(made(3, 31), made(1, 31), 0).tail.has_value());
  EXPECT_TRUE(compare_blocks(made(3, 32), made(1, 32), 0).tail.has_value());
}

}  // namespace
}  // namespace strata
