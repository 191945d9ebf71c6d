#include "quant/layer_speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

KernelTimes kernel(std::string op, std::vector<std::string> sources, std::vector<double> seconds,
                   KernelKind kind = KernelKind::Compute) {
  KernelTimes out;
  out.kernel.op = std::move(op);
  out.kernel.sources = std::move(sources);
  out.kernel.kind = kind;
  out.seconds = std::move(seconds);
  return out;
}

std::vector<double> times(double seconds) { return std::vector<double>(10, seconds); }

TEST(LayerSpeed, RowsAddUpToTheWhole) {
  Timing timing;
  timing.runs = times(20);
  timing.kernels = {kernel("QuantizeLinear", {"a"}, times(1)),
                    kernel("QLinearConv", {"a", "relu"}, times(5)),
                    kernel("QLinearAdd", {"add"}, times(2)),
                    kernel("ReorderOutput", {}, times(1.5), KernelKind::Layout),
                    kernel("Conv", {"b"}, times(6)),
                    kernel("Mul", {"b"}, times(1)),
                    kernel("DequantizeLinear", {}, times(0.5))};
  const RunTimes rows = rows_of(timing, {{"a", "relu"}, {"b"}, {"c"}});
  EXPECT_EQ(rows.layers[0].median, 5);
  EXPECT_EQ(rows.layers[1].median, 7);
  EXPECT_EQ(rows.layers[2].median, -1);  // in no kernel
  EXPECT_EQ(rows.conversions.median, 1.5);
  EXPECT_EQ(rows.other.median, 2);
  EXPECT_EQ(rows.layout.median, 1.5);
  EXPECT_EQ(rows.outside.median, 3);
  RunTimes scaled = rows;
  scale_to(scaled, 40);
  EXPECT_EQ(scaled.layers[0].median, 10);
  EXPECT_EQ(scaled.outside.median, 6);
}

// A row's interval is of its runs; few runs have none, and nothing is sure then.
TEST(LayerSpeed, SureIsWhatTheIntervalsSay) {
  const RowTime one{10, Interval{9, 11}}, half{5, Interval{4, 6}}, near{9.5, Interval{8, 10}};
  EXPECT_TRUE(speed_up(one, half)->sure());
  EXPECT_DOUBLE_EQ(speed_up(one, half)->interval->low, 1.5);
  EXPECT_DOUBLE_EQ(speed_up(one, half)->interval->high, 2.75);
  EXPECT_FALSE(speed_up(one, near)->sure());
  EXPECT_FALSE(speed_up(one, RowTime{1, std::nullopt})->sure());
  EXPECT_FALSE(speed_up(one, RowTime{}));
  EXPECT_EQ(seconds_saved(one, half), 5);
  EXPECT_EQ(seconds_saved(one, near), 3);  // the most that it may be
  EXPECT_EQ(seconds_saved(one, RowTime{}), 0);
}

// A kernel of half a microsecond, of which an engine says 0 or 1: nothing is known.
TEST(LayerSpeed, ShortKernelsAreNotSure) {
  Timing timing;
  timing.runs = times(10e-6);
  timing.kernels = {kernel("Conv", {"a"}, times(1e-6)), kernel("Conv", {"b"}, times(50e-6))};
  const RunTimes slow = rows_of(timing, {{"a"}, {"b"}}, 1e-6);
  timing.kernels = {kernel("Conv", {"a"}, times(0.3e-6)), kernel("Conv", {"b"}, times(20e-6))};
  const RunTimes fast = rows_of(timing, {{"a"}, {"b"}}, 1e-6);
  EXPECT_FALSE(speed_up(slow.layers[0], fast.layers[0])->sure());
  EXPECT_TRUE(speed_up(slow.layers[1], fast.layers[1])->sure());
  EXPECT_NEAR(speed_up(slow.layers[1], fast.layers[1])->interval->low, 49.0 / 21, 1e-9);
}

// A process that gets half of a core measures the others, too.
TEST(LayerSpeed, NothingIsSureOfADisturbedRun) {
  Timing timing;
  timing.runs = times(10e-3);
  timing.kernels = {kernel("Conv", {"a"}, times(9e-3))};
  timing.contention = {.wall_seconds = 1, .cpu_seconds = 0.5, .involuntary = 0};
  const RunTimes busy = rows_of(timing, {{"a"}});
  EXPECT_TRUE(busy.disturbed);
  EXPECT_FALSE(busy.layers[0].interval);
  timing.contention.cpu_seconds = 1;
  const RunTimes calm = rows_of(timing, {{"a"}});
  EXPECT_TRUE(calm.layers[0].interval);
  EXPECT_TRUE(calmer_of(busy, calm).layers[0].interval);
  EXPECT_TRUE(calmer_of(calm, busy).layers[0].interval);
  EXPECT_FALSE(speed_up(busy.layers[0], calm.layers[0])->sure());
}

// The round of a quiet moment is shown, with an interval that both agree on.
TEST(LayerSpeed, TwoRoundsAreOne) {
  RunTimes quiet, busy;
  quiet.whole = 10;
  quiet.layers = {{4, Interval{3.9, 4.1}}};
  busy.whole = 30;
  busy.layers = {{12, Interval{8, 16}}};
  for (const RunTimes& both : {calmer_of(quiet, busy), calmer_of(busy, quiet)}) {
    EXPECT_EQ(both.whole, 10);
    EXPECT_EQ(both.layers[0].median, 4);
    EXPECT_EQ(both.layers[0].interval->low, 3.9);
    EXPECT_EQ(both.layers[0].interval->high, 16);
  }
}

}  // namespace
}  // namespace strata
