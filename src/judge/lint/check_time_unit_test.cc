#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

const ClaimColumn kRate{
    .title = "Median(FPS)", .meaning = Meaning::FramesPerSecond, .statistic = Statistic::Median};
const ClaimColumn kTime{.title = "Median(ms)",
                        .meaning = Meaning::Seconds,
                        .statistic = Statistic::Median,
                        .unit = "ms"};

TEST(CheckTimeUnit, MillisecondsThatAreSeconds) {
  // 20 a second take 0.05 s; the file says ms.
  const auto findings = found_by(
      check_time_unit,
      test_claims(test_table({kRate, kTime}, {{"a", {20, 0.05e-3}}, {"b", {10, 0.2e-3}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "a");
  EXPECT_EQ(findings[0].rows.size(), 2u);
  EXPECT_EQ(
      findings[0].evidence,
      "20 frames a second and 50.00 µs, as \"Median(ms)\" says, would be 0.001 frames at a time; "
      "with 1000 times that it is 1");
  EXPECT_EQ(findings[0].meaning, "the columns in ms hold seconds");
}

TEST(CheckTimeUnit, TrueMillisecondsAreFine) {
  EXPECT_TRUE(found_by(check_time_unit, test_claims(test_table(
                                            {kRate, kTime}, {{"a", {20, 0.05}}, {"b", {10, 0.4}}})))
                  .empty());
}

TEST(CheckTimeUnit, OneRowThatDisagreesIsNoWrongHeading) {
  EXPECT_TRUE(
      found_by(check_time_unit,
               test_claims(test_table({kRate, kTime}, {{"a", {20, 0.05e-3}}, {"b", {10, 0.1}}})))
          .empty());
}

}  // namespace
}  // namespace strata::lint
