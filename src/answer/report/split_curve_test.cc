#include "report/split_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

// 160 ms on the edge; 10 ms on the server and 500 kB to it: equal at 500 kB / 150 ms = 26.667 Mbps.
Split two_choices() {
  Split split;
  split.all_edge.edge_seconds = 0.160;
  split.all_server.server_seconds = 0.010;
  split.all_server.up_bytes = 500e3;
  const double equal = 0.150 / 500e3;  // seconds per byte
  split.pieces = {{1 / kFastestLink, equal, split.all_server},
                  {equal, 1 / kSlowestLink, split.all_edge}};
  return split;
}

// The latency that a chart with logarithmic axes draws at a link, from the points around it.
template <class Seconds>
double drawn(const std::vector<CurvePoint>& curve, double link, const Seconds& seconds) {
  std::size_t i = 1;
  while (curve[i].link_bytes_per_second < link) ++i;
  const CurvePoint &a = curve[i - 1], &b = curve[i];
  const double share = std::log(link / a.link_bytes_per_second) /
                       std::log(b.link_bytes_per_second / a.link_bytes_per_second);
  return std::exp((1 - share) * std::log(seconds(a)) + share * std::log(seconds(b)));
}

TEST(SplitCurve, CrossingsArePoints) {
  std::vector<double> crossings;
  for (const CurvePoint& point : split_curve(two_choices()))
    if (point.is_crossing) crossings.push_back(8 * point.link_bytes_per_second);
  EXPECT_THAT(crossings, testing::ElementsAre(testing::DoubleNear(26.666667e6, 1)));
}

TEST(SplitCurve, TheBestIsTheLeastOfWhatIsDrawnEverywhere) {
  const Split split = two_choices();
  const std::vector<CurvePoint> curve = split_curve(split);
  for (double link = 1.001e6 / 8; link < 1e10 / 8; link *= 1.01) {
    const double edge = drawn(curve, link, [](const CurvePoint&) { return 0.160; });
    const double server = drawn(curve, link, [](const CurvePoint& point) {
      return 0.010 + 500e3 / point.link_bytes_per_second;
    });
    const double best =
        drawn(curve, link, [](const CurvePoint& point) { return point.best_seconds; });
    EXPECT_NEAR(best, std::min(edge, server), 1e-9) << 8 * link;
  }
}

TEST(SplitCurve, PointsAscend) {
  const std::vector<CurvePoint> curve = split_curve(two_choices());
  EXPECT_EQ(curve.size(), 14u);  // 1, 2, 5, … of four decades, 10 Gbps, the crossing
  EXPECT_EQ(8 * curve.front().link_bytes_per_second, 1e6);
  EXPECT_EQ(8 * curve.back().link_bytes_per_second, 1e10);
  for (std::size_t i = 1; i < curve.size(); ++i)
    EXPECT_LT(curve[i - 1].link_bytes_per_second, curve[i].link_bytes_per_second);
}

}  // namespace
}  // namespace strata
