#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "strata/compare/diff.h"

namespace strata::compare {
namespace {

Figure time(double value, double low, double high) {
  return real_figure(value, Interval{low, high});
}

TEST(Change, OfCounts) {
  const Change more = change_of(count_figure(100), count_figure(125), Measure::Macs);
  EXPECT_EQ(more.verdict, Verdict::More);
  EXPECT_EQ(more.difference.number(), 25);
  EXPECT_EQ(more.ratio, 1.25);
  EXPECT_EQ(change_of(count_figure(7), count_figure(7), Measure::Macs).verdict, Verdict::Same);
  EXPECT_EQ(change_of(count_figure(7), count_figure(6), Measure::Macs).verdict, Verdict::Less);
  const Change from_nothing = change_of(count_figure(0), count_figure(6), Measure::Macs);
  EXPECT_EQ(from_nothing.verdict, Verdict::More);
  EXPECT_FALSE(from_nothing.ratio);
}

TEST(Change, OfFormulas) {
  const Expr n = Expr::symbol("N"), s = Expr::symbol("S");
  const Change more = change_of(count_figure(n * 300), count_figure(n * 330), Measure::Macs);
  EXPECT_EQ(more.verdict, Verdict::More);
  EXPECT_DOUBLE_EQ(*more.ratio, 1.1);
  EXPECT_EQ(more.difference.count, n * 30);
  const Change other = change_of(count_figure(n * 300), count_figure(s * 330), Measure::Macs);
  EXPECT_EQ(other.verdict, Verdict::Differs);
  EXPECT_FALSE(other.ratio);
  const Change both =
      change_of(count_figure(n * 2 + s * 4), count_figure(n * 3 + s * 6), Measure::Macs);
  EXPECT_DOUBLE_EQ(*both.ratio, 1.5);
}

TEST(Change, OfWhatIsNotKnown) {
  EXPECT_EQ(change_of({}, {}, Measure::Macs).verdict, Verdict::Absent);
  EXPECT_EQ(change_of(count_figure(7), {}, Measure::Macs).verdict, Verdict::Unknown);
  const Figure bound = count_figure(7, Certainty::LowerBound);
  EXPECT_EQ(change_of(bound, bound, Measure::Macs).verdict, Verdict::Unknown);
}

// Both intervals are ± 10 % in logarithms, so the ratio's is ± √2 · 10 %.
TEST(Change, OfTimesIsCalledOnlyWhereTheIntervalSaysSo) {
  const double tenth = std::exp(0.1);
  const Change close =
      change_of(time(1, 1 / tenth, tenth), time(1.1, 1.1 / tenth, 1.1 * tenth), Measure::Latency);
  EXPECT_EQ(close.verdict, Verdict::NotShown);
  EXPECT_NEAR(close.ratio_interval->low, 1.1 * std::exp(-0.1 * std::sqrt(2.0)), 1e-12);
  EXPECT_NEAR(close.ratio_interval->high, 1.1 * std::exp(0.1 * std::sqrt(2.0)), 1e-12);
  const Change apart =
      change_of(time(1, 1 / tenth, tenth), time(1.2, 1.2 / tenth, 1.2 * tenth), Measure::Latency);
  EXPECT_EQ(apart.verdict, Verdict::More);
  EXPECT_NEAR(*apart.ratio, 1.2, 1e-12);
  // Without an interval nothing is called.
  EXPECT_EQ(change_of(real_figure(1), real_figure(9), Measure::Latency).verdict, Verdict::NotShown);
  EXPECT_EQ(change_of(time(1, 0, 2), time(9, 8, 10), Measure::Latency).verdict, Verdict::NotShown);
}

TEST(Change, OfQualitiesIsCalledWhereIntervalsDoNotTouch) {
  EXPECT_EQ(change_of(time(30, 28, 32), time(20, 18, 22), Measure::Quality).verdict, Verdict::Less);
  EXPECT_EQ(change_of(time(30, 28, 32), time(29, 27, 31), Measure::Quality).verdict,
            Verdict::NotShown);
}

TEST(Sum, OfWhatIsPartlyKnownIsALowerBound) {
  EXPECT_EQ(sum_of(count_figure(3), count_figure(4)).number(), 7);
  const Figure partly = sum_of(count_figure(3), {});
  EXPECT_EQ(partly.certainty, Certainty::LowerBound);
  EXPECT_EQ(partly.number(), 3);
  const Figure times = sum_of(time(1, 0.5, 2), time(10, 9, 12));
  EXPECT_EQ(times.number(), 11);
  EXPECT_EQ(times.interval->low, 9.5);
  EXPECT_EQ(times.interval->high, 14);
}

}  // namespace
}  // namespace strata::compare
