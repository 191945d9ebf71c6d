#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/ratio.h"
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

// The first has four runs and the second 21. The second becomes the base, and the ratio to itself
// is not how much faster it is than the first.
TEST(Verdict, ASecondVariantIsNotComparedWithItself) {
  VariantResult few = timed(2);
  few.processes.resize(1);
  few.processes[0].blocks.resize(4);
  const BenchResult result = judged({few, timed(1)});
  EXPECT_EQ(result.base, 1u);
  const auto found = speed_up_over_first(result);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->withheld, testing::HasSubstr("4 runs"));
  EXPECT_FALSE(found->certain());
  EXPECT_TRUE(std::isinf(found->interval.high));
  EXPECT_NEAR(speed_up_over_first(judged({timed(2), timed(1)}))->median, 2, 0.01);
}

// A queue with one server: requests come every `between` seconds and take `service`; for another
// `lost` seconds the server has no processor. Times are from request to answer.
VariantResult served(std::size_t requests, double between, double service, double lost) {
  VariantResult out;
  ProcessSamples& process = out.processes.emplace_back();
  std::vector<double>& block = process.blocks.emplace_back();
  double free = 0;
  for (std::size_t i = 0; i < requests; ++i) {
    const double asked = static_cast<double>(i) * between, start = std::max(asked, free);
    block.push_back(start + service - asked);
    process.service.push_back(service);
    free = start + service + lost;
  }
  return out;
}

TEST(Utilization, IsWhatRunsTakeIfTheQueueDoesNotGrow) {
  EXPECT_NEAR(*utilization_of(served(200, 1e-3, 0.8e-3, 0), 1000), 0.8, 1e-9);
  EXPECT_NEAR(*utilization_of(served(200, 1e-3, 0.5e-3, 0.4e-3), 1000), 0.5, 1e-9);
  EXPECT_NEAR(*utilization_of(served(200, 1e-3, 1.5e-3, 0), 1000), 1.5, 0.01);
  EXPECT_EQ(utilization_of(timed(1), 1000), std::nullopt);
}

// Half a millisecond of work and one and a half without a processor, for each millisecond.
TEST(Utilization, AQueueThatGrowsCannotKeepUp) {
  EXPECT_NEAR(*utilization_of(served(200, 1e-3, 0.5e-3, 1.5e-3), 1000), 2, 0.02);
  EXPECT_GE(*utilization_of(served(12, 1e-3, 0.5e-3, 1.5e-3), 1000), 1.5);
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
  EXPECT_THAT(result.indistinct, IsEmpty());
  EXPECT_TRUE(result.speed_ups[2]->withheld.empty());
}

// Puts each run into a block of its own.
VariantResult ran(int runs, double seconds) {
  VariantResult out;
  out.processes.emplace_back().peak_resident_bytes = 100;
  for (int i = 0; i < runs; ++i)
    out.processes[0].blocks.push_back({seconds * (1 + 0.001 * (i % 3))});
  return out;
}

// The extremes of five runs cover the median in 1 - 2^-4 = 93.75 % of cases, of six in 96.9 %.
TEST(Verdict, FewerThanSixRunsClaimNothing) {
  const VariantResult five = ran(5, 1), six = ran(6, 1);
  EXPECT_FALSE(five.summary().interval);
  EXPECT_THAT(five.withheld(), testing::HasSubstr("5 runs were measured"));
  EXPECT_THAT(ran(1, 1).withheld(), testing::HasSubstr("1 run was measured"));
  EXPECT_TRUE(six.summary().interval);
  EXPECT_EQ(six.withheld(), "");
  for (const std::size_t base : {0, 1}) {
    const BenchResult result = judged({five, ran(5, 3)}, base);
    EXPECT_FALSE(result.winner);
    EXPECT_THAT(result.pareto, IsEmpty());
    for (const auto& ratio : result.speed_ups)
      EXPECT_THAT(ratio->withheld, testing::HasSubstr("5"));
  }
}

TEST(Verdict, AVariantWithOneRunTakesNoOtherDown) {
  for (const std::size_t base : {0, 2}) {
    const BenchResult result = judged({timed(2), timed(1), ran(1, 0.1)}, base);
    EXPECT_EQ(result.base, 0u);
    EXPECT_EQ(result.winner, 1u);
    EXPECT_TRUE(result.has_clear_winner());
    EXPECT_NEAR(result.speed_ups[1]->median, 2, 0.01);
    EXPECT_EQ(result.speed_ups[1]->withheld, "");
    EXPECT_THAT(result.speed_ups[2]->withheld, testing::HasSubstr("1 run was measured"));
    EXPECT_THAT(result.pareto, ElementsAre(1));
  }
}

// A block during which a neighbour slowed the processor has ratios, since the other variant ran
// beside it, but its times are not those of the variant.
TEST(Verdict, TimesOfSlowedBlocksDoNotCount) {
  VariantResult own;
  own.variant.session.threads = 1;
  ProcessSamples& process = own.processes.emplace_back();
  for (int block = 0; block < 3; ++block) {
    const double slower = block == 0 ? 1 : 1.5;
    process.blocks.emplace_back(10, slower);
    process.waits.emplace_back(10, 0.0);
    process.paces.emplace_back(10, 4e-5 * slower);
  }
  EXPECT_EQ(own.summary().median, 1);
  EXPECT_EQ(own.summary().n, 10u);
  EXPECT_EQ(own.counted().slowed, 20u);
  EXPECT_EQ(own.counted().taken_off, 0);
  EXPECT_THAT(rounds_of(own)[0],
              ElementsAre(testing::SizeIs(10), testing::Each(1.5), testing::Each(1.5)));
}

TEST(Verdict, CountsWhatIsTakenOffAndLeftOut) {
  VariantResult own;
  own.variant.session.threads = 1;
  ProcessSamples& process = own.processes.emplace_back();
  process.blocks = {{3, 2, 2, 2, 2, 2, 9}};
  process.waits = {{1, 0, 0, 0, 0, 0, 5}};
  process.paces = {{1, 1, 1, 1, 1, 1, 2}};
  CountedRuns counted = own.counted();
  EXPECT_EQ(counted.kept, 6u);
  EXPECT_EQ(counted.slowed, 1u);
  EXPECT_EQ(counted.taken_off, 1);  // the run that waited for 5 does not count
  own.variant.session.threads = 2;
  counted = own.counted();
  EXPECT_EQ(counted.waited, 2u);
  EXPECT_EQ(counted.taken_off, 0);
  process.service = {1};  // at a rate, the wait in the queue is part of the time
  counted = own.counted();
  EXPECT_EQ(counted.kept, 7u);
  EXPECT_EQ(counted.taken_off, 0);
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

// Nothing is lost for a gain that may be none: int8 is 1.08 times as fast by its median, in
// processes that differ by 20 %.
TEST(Verdict, ALossyVariantGivesWayUnlessItIsSurelyFaster) {
  std::vector<VariantResult> variants = {timed(1.08), timed(1.3), uneven(1 / 1.2, 1.2)};
  variants[2].variant.session.precision = "int8";
  BenchResult result = judged(variants);
  ASSERT_EQ(result.winner, 2u);
  std::size_t lossy = 9;
  const auto gain = prefer_lossless(result, 0, lossy);
  ASSERT_TRUE(gain);
  EXPECT_EQ(lossy, 2u);
  EXPECT_NEAR(gain->median, 1.08, 0.01);
  EXPECT_LT(gain->interval.low, 1);
  EXPECT_EQ(result.winner, 0u);
  EXPECT_THAT(result.indistinct, ElementsAre(2));

  variants[2] = timed(1);
  variants[2].variant.session.precision = "int8";
  BenchResult sure = judged(variants);
  EXPECT_FALSE(prefer_lossless(sure, 0, lossy));
  EXPECT_EQ(sure.winner, 2u);

  // A lossless change may be taken by its median, as before.
  variants[2] = uneven(1 / 1.2, 1.2);
  BenchResult lossless = judged(variants);
  EXPECT_FALSE(prefer_lossless(lossless, 0, lossy));
  EXPECT_EQ(lossless.winner, 2u);
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
