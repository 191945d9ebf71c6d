#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

Claims variants(double fast_tail) {
  ClaimTable table =
      test_table({{.title = "median", .meaning = Meaning::Seconds, .statistic = Statistic::Median},
                  {.title = "p99",
                   .meaning = Meaning::Seconds,
                   .statistic = Statistic::Percentile,
                   .quantile = 0.99}},
                 {{"net / A", {6, 8}}, {"net / B", {2, fast_tail}}, {"other / A", {90, 99}}});
  table.rows[0].labels = {"net", "A"};
  table.rows[1].labels = {"net", "B"};
  table.rows[2].labels = {"other", "B2"};
  return test_claims(table);
}

TEST(CheckTailSpeedUp, TheTailGainsLess) {
  const auto findings = found_by(check_tail_speed_up, variants(4));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "net / B");
  // 6 / 2 and 8 / 4
  EXPECT_EQ(findings[0].evidence,
            "the largest speedup, over net / A, is 3.00 by \"median\" and 2.00 by \"p99\"");
}

TEST(CheckTailSpeedUp, ATailThatGainsAsMuchIsFine) {
  EXPECT_TRUE(found_by(check_tail_speed_up, variants(2.7)).empty());
}

}  // namespace
}  // namespace strata::lint
