#include "quantize/layer_speed.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr std::size_t kSessions = 5, kRuns = 10;  // of each session

KernelTimes kernel(std::string op, std::vector<std::string> sources, std::vector<double> seconds,
                   KernelKind kind = KernelKind::Compute) {
  KernelTimes out;
  out.kernel.op = std::move(op);
  out.kernel.sources = std::move(sources);
  out.kernel.kind = kind;
  out.seconds = std::move(seconds);
  return out;
}

std::vector<double> times(double seconds) {
  return std::vector<double>(kSessions * kRuns, seconds);
}

Timing timing_of(double whole, std::vector<KernelTimes> kernels) {
  Timing out;
  out.runs = out.recorded = times(whole);
  out.sessions = out.recorded_sessions = std::vector<std::size_t>(kSessions, kRuns);
  out.kernels = std::move(kernels);
  return out;
}

TEST(LayerSpeed, RowsAddUpToTheWhole) {
  TimedPair pair;
  pair.base = timing_of(
      20,
      {kernel("QuantizeLinear", {"a"}, times(1)), kernel("QLinearConv", {"a", "relu"}, times(5)),
       kernel("QLinearAdd", {"add"}, times(2)),
       kernel("ReorderOutput", {}, times(1.5), KernelKind::Layout), kernel("Conv", {"b"}, times(6)),
       kernel("Mul", {"b"}, times(1)), kernel("DequantizeLinear", {}, times(0.5))});
  pair.other = timing_of(10, {kernel("Conv", {"x"}, times(2.5)), kernel("Add", {}, times(1))});
  PairTimes rows = rows_of(pair, {{"a", "relu"}, {"b"}, {"c"}}, {{"x"}, {"y"}, {"z"}});
  EXPECT_EQ(rows.base.layers[0].median, 5);
  EXPECT_EQ(rows.base.layers[1].median, 7);
  EXPECT_EQ(rows.base.layers[2].median, -1);  // has no kernel
  EXPECT_EQ(rows.base.conversions.median, 1.5);
  EXPECT_EQ(rows.base.other.median, 2);
  EXPECT_EQ(rows.base.layout.median, 1.5);
  EXPECT_EQ(rows.base.outside.median, 3);
  ASSERT_EQ(rows.layers.size(), 3u);
  EXPECT_DOUBLE_EQ(rows.layers[0]->ratio, 2);
  EXPECT_FALSE(rows.layers[1]);  // has no kernel in the other
  EXPECT_FALSE(rows.conversions);
  EXPECT_DOUBLE_EQ(rows.others->ratio, 2);
  scale_to(rows, 40, 30);  // twice as long, and three times
  EXPECT_EQ(rows.base.layers[0].median, 10);
  EXPECT_EQ(rows.base.outside.median, 6);
  EXPECT_EQ(rows.other.layers[0].median, 7.5);
  EXPECT_NEAR(rows.layers[0]->ratio, 4.0 / 3, 1e-9);
}

// Kernels of 6 + 5 s in a run of 10 s leave no time outside, and certainly not -1 s.
TEST(LayerSpeed, TimeOutsideOfKernelsIsNeverNegative) {
  TimedPair pair;
  pair.base = timing_of(10, {kernel("Conv", {"a"}, times(6)), kernel("Add", {}, times(5))});
  pair.other = timing_of(12, {kernel("Conv", {"a"}, times(6)), kernel("Add", {}, times(5))});
  PairTimes rows = rows_of(pair, {{"a"}}, {{"a"}});
  EXPECT_EQ(rows.base.outside.median, -1);  // not known
  EXPECT_EQ(rows.other.outside.median, 1);
  scale_to(rows, 20, 24);
  EXPECT_EQ(rows.base.outside.median, -1);
  EXPECT_EQ(rows.other.outside.median, 2);
}

TEST(LayerSpeed, SavedIsWhatIsCertainOrTheMost) {
  const RowTime one{10, {}}, half{5, {}}, near{9.5, {}};
  EXPECT_EQ(seconds_saved(one, half, RowSpeedUp{2, Interval{1.5, 2.5}}), 5);
  EXPECT_DOUBLE_EQ(seconds_saved(one, near, RowSpeedUp{1.05, Interval{0.8, 1.25}}), 2);
  EXPECT_EQ(seconds_saved(one, near, RowSpeedUp{1.05, Interval{0, INFINITY}}), 10);
  EXPECT_EQ(seconds_saved(one, near, RowSpeedUp{1.05, std::nullopt}), 0.5);
  EXPECT_EQ(seconds_saved(one, RowTime{}, std::nullopt), 0);
}

// For a kernel of half a microsecond an engine reports 0 or 1, so nothing is known.
TEST(LayerSpeed, ShortKernelsAreNotSure) {
  TimedPair pair;
  pair.base =
      timing_of(60e-6, {kernel("Conv", {"a"}, times(1e-6)), kernel("Conv", {"b"}, times(50e-6))});
  pair.other =
      timing_of(30e-6, {kernel("Conv", {"a"}, times(0.3e-6)), kernel("Conv", {"b"}, times(20e-6))});
  const LayerNames names = {{"a"}, {"b"}};
  const PairTimes exact = rows_of(pair, names, names), coarse = rows_of(pair, names, names, 1e-6);
  EXPECT_TRUE(exact.layers[0]->sure());
  EXPECT_FALSE(coarse.layers[0]->sure());
  EXPECT_TRUE(coarse.layers[1]->sure());
  EXPECT_NEAR(coarse.layers[1]->interval->low,
              exact.layers[1]->interval->low * (49.0 / 50) * (20.0 / 21), 1e-9);
  EXPECT_NEAR(coarse.layers[1]->interval->high,
              exact.layers[1]->interval->high * (51.0 / 50) * (20.0 / 19), 1e-9);
}

// If the whole timing is withheld, so is every row.
TEST(LayerSpeed, NothingIsSureOfADisturbedRun) {
  TimedPair pair;
  pair.base = timing_of(10, {kernel("Conv", {"a"}, times(9))});
  pair.other = timing_of(5, {kernel("Conv", {"a"}, times(4))});
  EXPECT_TRUE(rows_of(pair, {{"a"}}, {{"a"}}).layers[0]->sure());
  pair.other.center.withheld = "other work was there";
  const PairTimes rows = rows_of(pair, {{"a"}}, {{"a"}});
  EXPECT_TRUE(rows.disturbed);
  EXPECT_FALSE(rows.layers[0]->interval);
  EXPECT_FALSE(rows.base.layers[0].interval);
  EXPECT_EQ(rows.layers[0]->ratio, 2.25);
}

// The machine's pace changes by up to a half from session to session, equally for both models,
// since they take turns. The true ratio is 1.25: intervals contain it, and are narrow enough to be
// certain.
TEST(LayerSpeed, ASlowMinuteIsInBoth) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> pace(1, 1.5), noise(0.99, 1.01);
  int covered = 0, sure = 0;
  constexpr int kTrials = 200;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> base, other;
    for (std::size_t session = 0; session < kSessions; ++session) {
      const double now = pace(random);
      for (std::size_t run = 0; run < kRuns; ++run) {
        base.push_back(5 * now * noise(random));
        other.push_back(4 * now * noise(random));
      }
    }
    TimedPair pair;
    pair.base = timing_of(6, {kernel("Conv", {"a"}, base)});
    pair.other = timing_of(5, {kernel("Conv", {"a"}, other)});
    const auto ratio = rows_of(pair, {{"a"}}, {{"a"}}).layers[0];
    ASSERT_TRUE(ratio && ratio->interval);
    covered += ratio->interval->low <= 1.25 && 1.25 <= ratio->interval->high ? 1 : 0;
    sure += ratio->sure() ? 1 : 0;
  }
  EXPECT_GE(covered, kTrials * 95 / 100);
  EXPECT_EQ(sure, kTrials);
}

}  // namespace
}  // namespace strata
