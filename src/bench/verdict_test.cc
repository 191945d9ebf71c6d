#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/schedule.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Blocks that vary by a per mille, so that no interval is a point.
VariantResult timed(double seconds, std::int64_t peak = 100) {
  VariantResult out;
  for (int p = 0; p < 3; ++p) {
    ProcessSamples& process = out.processes.emplace_back();
    process.peak_resident_bytes = peak;
    for (int b = 0; b < 7; ++b)
      process.blocks.push_back({seconds * (1 + 0.001 * ((3 * p + 5 * b) % 7 - 3))});
  }
  return out;
}

BenchResult judged(std::vector<VariantResult> variants, std::size_t base = 0) {
  BenchResult result;
  result.variants = std::move(variants);
  result.base = base;
  judge(result, 0);
  return result;
}

TEST(Verdict, TheFastestWins) {
  const BenchResult result = judged({timed(2), timed(1), timed(4)});
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(result.speed_ups[1]->median, 2, 0.01);
  EXPECT_NEAR(result.speed_ups[2]->median, 0.5, 0.01);
  EXPECT_EQ(result.speed_ups[0]->median, 1);
  EXPECT_THAT(result.indistinct, IsEmpty());
  EXPECT_THAT(result.pareto, ElementsAre(1));
}

TEST(Verdict, WhoMayBeAsFastIsNamed) {
  EXPECT_THAT(judged({timed(2), timed(1), timed(1)}).indistinct, testing::SizeIs(1));
}

// With several threads, only runs that did not wait count; if there are too few, nothing is
// claimed.
TEST(Verdict, WhatWaitedTooMuchIsWithheld) {
  std::vector<VariantResult> variants = {timed(2), timed(1), timed(1)};
  for (VariantResult& own : variants) {
    own.variant.session.threads = 2;
    for (ProcessSamples& process : own.processes)
      process.waits.assign(process.blocks.size(), {&own == &variants[1] ? 0.5 : 0.0});
  }
  const BenchResult result = judged(variants);
  EXPECT_THAT(result.speed_ups[1]->withheld, testing::HasSubstr("0 of 21 runs"));
  EXPECT_FALSE(result.speed_ups[1]->certain());
  EXPECT_FALSE(variants[1].summary().interval.has_value());
  EXPECT_EQ(result.winner, 2u);
  EXPECT_THAT(result.indistinct, ElementsAre(1));
  EXPECT_FALSE(result.has_clear_winner());
  EXPECT_TRUE(result.speed_ups[2]->withheld.empty());
}

// A variant whose processes differ: each is as many times slower than the first.
VariantResult uneven(double seconds, double step) {
  VariantResult out = timed(seconds);
  double factor = 1;
  for (ProcessSamples& process : out.processes) {
    for (std::vector<double>& block : process.blocks) block[0] *= factor;
    factor *= step;
  }
  return out;
}

TEST(Verdict, AWideIntervalIsAClaimIfItSaysWhichIsFaster) {
  const BenchResult result = judged({timed(20), uneven(0.3, 1.6), uneven(8, 1.6)});
  const SpeedUp& surely = *result.speed_ups[1];
  EXPECT_EQ(surely.withheld, "");
  EXPECT_GT(surely.interval.low, 1);
  EXPECT_GT(surely.interval.high, 4 * surely.interval.low);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_THAT(result.speed_ups[2]->withheld, testing::HasSubstr("too uncertain"));
}

// With one thread, waiting is subtracted, and every run counts.
TEST(Verdict, OneThreadsWaitingIsTakenOff) {
  std::vector<VariantResult> variants = {timed(2), timed(1)};
  for (VariantResult& own : variants) {
    own.variant.session.threads = 1;
    for (ProcessSamples& process : own.processes)
      for (std::vector<double>& block : process.blocks) {
        const double wait = &own == &variants[0] ? 0 : 5;
        process.waits.push_back({wait});
        block[0] += wait;
      }
  }
  const BenchResult result = judged(variants);
  EXPECT_NEAR(result.speed_ups[1]->median, 2, 0.01);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(variants[1].summary().median, 1, 0.01);
}

// Two samples in 3 s are faster than one in 2 s.
TEST(Verdict, TimesAreThoseOfOneSample) {
  std::vector<VariantResult> variants = {timed(2), timed(3)};
  variants[1].variant.batch = 2;
  const BenchResult result = judged(variants);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_NEAR(result.speed_ups[1]->median, 2 / 1.5, 0.01);
}

TEST(Verdict, AWrongAnswerNeverWins) {
  std::vector<VariantResult> variants = {timed(2), timed(1)};
  variants[1].failure = Failure::WrongAnswer;
  const BenchResult result = judged(variants);
  EXPECT_EQ(result.winner, 0u);
  EXPECT_FALSE(result.speed_ups[1].has_value());
  EXPECT_THAT(result.pareto, ElementsAre(0));
}

TEST(Verdict, NeitherDoesOneThatCannotKeepUp) {
  std::vector<VariantResult> variants = {timed(2), timed(1)};
  variants[0].utilization = 0.7;
  variants[1].utilization = 1.2;
  EXPECT_EQ(judged(variants).winner, 0u);
}

TEST(Verdict, ABaseThatFailedIsReplaced) {
  std::vector<VariantResult> variants = {timed(2), timed(1), timed(3)};
  variants[0].failure = Failure::Crashed;
  const BenchResult result = judged(variants);
  EXPECT_EQ(result.base, 1u);
  EXPECT_FALSE(result.speed_ups[0].has_value());
  EXPECT_NEAR(result.speed_ups[2]->median, 1.0 / 3, 0.01);
  variants[1].failure = variants[2].failure = Failure::TimedOut;
  const BenchResult none = judged(variants);
  EXPECT_FALSE(none.winner.has_value());
  ASSERT_THAT(none.speed_ups, testing::SizeIs(3));
  for (const auto& speed_up : none.speed_ups) EXPECT_FALSE(speed_up.has_value());
}

// One is fast and large, one slow and small, one faster and less accurate, and one is worse in
// everything.
TEST(Verdict, TheParetoFront) {
  std::vector<VariantResult> variants = {timed(2, 100), timed(4, 50), timed(1, 100),
                                         timed(4.1, 60)};
  variants[2].difference = OutputDifference{.sqnr = 30};
  EXPECT_THAT(judged(variants).pareto, ElementsAre(0, 1, 2));
  variants[2].difference = OutputDifference{};
  EXPECT_THAT(judged(variants).pareto, ElementsAre(1, 2));
}

}  // namespace
}  // namespace strata
