#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

const ClaimColumn kMean{.title = "mean", .meaning = Meaning::Seconds, .statistic = Statistic::Mean};
const ClaimColumn kDeviation{
    .title = "std", .meaning = Meaning::Seconds, .statistic = Statistic::Deviation};

TEST(CheckNoisy, DeviationOverMean) {
  const auto findings = found_by(
      check_noisy, test_claims(test_table({kMean, kDeviation},
                                          {{"a", {2, 0.05}}, {"b", {2, 0.06}}, {"c", {2, 0.5}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "c");
  // 0.05 / 2 = 2.5 % is not above it; 0.5 / 2 = 25 %
  EXPECT_EQ(findings[0].evidence,
            "the standard deviation is 25.0 % of the mean, and above 2.5 % in 2 of 3 rows");
}

TEST(CheckNoisy, SamplesOfTheWholeButNotOfItsParts) {
  ClaimTable table = test_table({kSeconds}, {{"run", {1}}, {"part", {1}}});
  table.rows[1].parent = 0;
  // Ten runs, half of 1 s and half of 3 s: mean 2, deviation sqrt(10 / 9) = 1.054, 52.7 %.
  for (ClaimRow& row : table.rows) row.samples = {1, 3, 1, 3, 1, 3, 1, 3, 1, 3};
  const auto findings = found_by(check_noisy, test_claims(table));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rows, std::vector<std::string>{"run"});
  EXPECT_EQ(findings[0].evidence,
            "the standard deviation is 52.7 % of the mean, and above 2.5 % in 1 of 1 rows");
  table.own_work = true;  // functions of a trace
  EXPECT_TRUE(found_by(check_noisy, test_claims(table)).empty());
}

}  // namespace
}  // namespace strata::lint
