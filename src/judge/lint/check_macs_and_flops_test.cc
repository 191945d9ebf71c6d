#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

TEST(CheckMacsAndFlops, SwappedNames) {
  const auto findings = found_by(
      check_macs_and_flops,
      test_claims(test_table({kMacs, kFlops}, {{"conv", {2000, 1001}}, {"relu", {5, 5}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "conv");
  EXPECT_EQ(findings[0].evidence, "\"MACs\" is 2,000 and \"FLOPs\" 1,001, 2.00 times less");
  EXPECT_EQ(findings[0].meaning, "the two names are swapped: a multiply-add is two operations");
}

TEST(CheckMacsAndFlops, RightNamesAreFine) {
  EXPECT_TRUE(found_by(check_macs_and_flops,
                       test_claims(test_table({kMacs, kFlops}, {{"conv", {1001, 2000}}})))
                  .empty());
}

}  // namespace
}  // namespace strata::lint
