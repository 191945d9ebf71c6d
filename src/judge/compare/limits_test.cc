#include "strata/compare/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata::compare {
namespace {

Limit limit(const std::string& text) {
  const std::string texts[] = {text};
  const auto limits = parse_limits(texts);
  EXPECT_TRUE(limits) << limits.error().message;
  return limits ? limits->front() : Limit{};
}

LimitVerdict judged(const std::string& text, const Figure& before, const Figure& after) {
  const Limit one = limit(text);
  return judge(one, change_of(before, after, one.measure));
}

TEST(Limits, AreReadAsPeopleWriteThem) {
  const Limit share = limit("latency>+5%");
  EXPECT_EQ(share.measure, Measure::Latency);
  EXPECT_TRUE(share.relative && share.above);
  EXPECT_DOUBLE_EQ(share.bound, 0.05);
  EXPECT_EQ(limit("peak > 1MB").bound, 1e6);
  EXPECT_EQ(limit("peak>+1MiB").bound, 1 << 20);
  EXPECT_EQ(limit("time>2ms").bound, 0.002);
  EXPECT_EQ(limit("time>2").bound, 2);  // seconds
  EXPECT_EQ(limit("macs>320M").bound, 320e6);
  EXPECT_EQ(limit("macs<-10").bound, -10);
  EXPECT_FALSE(limit("macs<-10").above);
  EXPECT_EQ(limit("peak>0").bound, 0);
  const std::string several[] = {"macs>0, params>+1%", "peak>0"};
  EXPECT_EQ(parse_limits(several)->size(), 3u);
}

TEST(Limits, WrongOnesSayWhatIsAccepted) {
  for (const char* wrong : {"", "macs", "macs>", "mac>0", "macs>x", "peak>5", "latency>5m",
                            "macs>%", "macs>--5", "macs>nan", "macs>1e999", "macs=>5"}) {
    const std::string texts[] = {wrong};
    const auto limits = parse_limits(texts);
    ASSERT_FALSE(limits) << wrong;
    EXPECT_EQ(limits.error().kind, ErrorKind::Usage);
    EXPECT_FALSE(limits.error().message.empty());
  }
}

TEST(Limits, OfCountsAreExact) {
  using enum LimitVerdict;
  EXPECT_EQ(judged("params>+1%", count_figure(100), count_figure(101)), Kept);
  EXPECT_EQ(judged("params>+1%", count_figure(100'000), count_figure(101'001)), Broken);
  EXPECT_EQ(judged("macs>0", count_figure(100), count_figure(100)), Kept);
  EXPECT_EQ(judged("macs>0", count_figure(100), count_figure(101)), Broken);
  EXPECT_EQ(judged("macs>0", count_figure(100), count_figure(99)), Kept);
  EXPECT_EQ(judged("macs<0", count_figure(100), count_figure(99)), Broken);
  EXPECT_EQ(judged("macs<-10%", count_figure(100), count_figure(90)), Kept);
  EXPECT_EQ(judged("macs<-10%", count_figure(100), count_figure(89)), Broken);
  EXPECT_EQ(judged("macs>+5%", count_figure(0), count_figure(1)), Broken);
}

TEST(Limits, WhatCannotBeKnownIsNotKept) {
  using enum LimitVerdict;
  EXPECT_EQ(judged("macs>0", count_figure(100), {}), Unknown);
  const Expr n = Expr::symbol("N"), s = Expr::symbol("S");
  EXPECT_EQ(judged("macs>0", count_figure(n), count_figure(s)), Unknown);
  EXPECT_EQ(judged("macs>0", count_figure(n), count_figure(n * 2)), Broken);
  EXPECT_EQ(judged("macs>0", count_figure(n * 2), count_figure(n)), Kept);
  EXPECT_EQ(judged("macs>+50%", count_figure(n * 2), count_figure(n * 3)), Kept);
  EXPECT_EQ(judged("macs>+49%", count_figure(n * 2), count_figure(n * 3)), Broken);
}

// 1 % of each makes the ratio uncertain by about 1.4 %.
TEST(Limits, OfTimesAreBrokenOnlyIfTheWholeIntervalIsBeyond) {
  using enum LimitVerdict;
  const Figure before = real_figure(1, Interval{0.99, 1.01});
  const auto after = [](double value) {
    return real_figure(value, Interval{0.99 * value, 1.01 * value});
  };
  EXPECT_EQ(judged("latency>+5%", before, after(1.06)), Kept);
  EXPECT_EQ(judged("latency>+5%", before, after(1.07)), Broken);
  EXPECT_EQ(judged("latency>+50ms", before, after(1.06)), Kept);
  EXPECT_EQ(judged("latency>+50ms", before, after(1.07)), Broken);
  EXPECT_EQ(judged("latency>0", before, after(1.01)), Kept);
  EXPECT_EQ(judged("latency>0", before, real_figure(5)), Kept);  // without an interval
}

TEST(Limits, OnWhatNoSideHasAreAnError) {
  Side side{.label = "a.onnx", .kind = "model"};
  at(side.totals, Measure::Macs) = count_figure(5);
  const Side sides[] = {side, side};
  const Diff diffs[] = {diff_of(side, side)};
  const Limit one[] = {limit("latency>0")};
  const auto none = judge_limits(one, sides, diffs);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "limit \"latency>0\": a.onnx and a.onnx have no latency to compare");
}

}  // namespace
}  // namespace strata::compare
