#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

const ClaimColumn kRate{
    .title = "Mean(FPS)", .meaning = Meaning::FramesPerSecond, .statistic = Statistic::Mean};
const ClaimColumn kTime{
    .title = "Mean(s)", .meaning = Meaning::Seconds, .statistic = Statistic::Mean};

TEST(CheckMeanOfRates, IsAboveWorkOverTime) {
  // Runs of 0.1 and 0.3 s: the mean of 10 and 3.33 is 6.667 a second; two in 0.4 s are 5.
  const auto findings =
      found_by(check_mean_of_rates,
               test_claims(test_table({kRate, kTime}, {{"a", {6.666667, 0.2}}, {"b", {5, 0.2}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "a");
  EXPECT_EQ(findings[0].rows.size(), 1u);
  EXPECT_EQ(findings[0].evidence,
            "\"Mean(FPS)\" is 6.66667, 33.3 % above 5, which is the batch of 1 over the mean time");
}

TEST(CheckMeanOfRates, WorkOverTimeIsFine) {
  EXPECT_TRUE(
      found_by(check_mean_of_rates, test_claims(test_table({kRate, kTime}, {{"a", {10, 0.2}}})))
          .empty());  // a batch of 2
}

}  // namespace
}  // namespace strata::lint
