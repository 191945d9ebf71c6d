#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

const ClaimColumn kP99{.title = "p99",
                       .meaning = Meaning::Seconds,
                       .statistic = Statistic::Percentile,
                       .quantile = 0.99};
const ClaimColumn kRuns{.title = "n", .meaning = Meaning::Samples};

// A p99 needs 662: 0.99^662 + 662 · 0.01 · 0.99^661 = 0.0099 is the chance that fewer than two of
// them are above it, and with 661 it is 0.01001.
TEST(CheckFewSamples, AColumnSaysHowMany) {
  const auto findings = found_by(
      check_few_samples,
      test_claims(test_table({kP99, kRuns}, {{"a", {1, 662}}, {"b", {1, 661}}, {"c", {1, 200}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "c");
  EXPECT_EQ(findings[0].rows.size(), 2u);
  EXPECT_EQ(findings[0].evidence, "\"p99\" is a p99 of 200 samples; it needs 662");
}

TEST(CheckFewSamples, NobodySays) {
  Claims claims = test_claims(test_table({kP99}, {{"a", {1}}}));
  const auto findings = found_by(check_few_samples, claims);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "\"p99\" is a p99 of an unknown number of samples; it needs 662");
  claims.samples = 1000;
  EXPECT_TRUE(found_by(check_few_samples, claims).empty());
}

}  // namespace
}  // namespace strata::lint
