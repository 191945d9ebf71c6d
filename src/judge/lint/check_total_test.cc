#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

Claims with_total(double total, double rounding = 0) {
  ClaimTable table = test_table({kFlops}, {{"a", {1000}}, {"b", {2000}}, {"c", {4000}}});
  table.totals.push_back({.name = "total", .numbers = {ClaimNumber{total, rounding}}});
  return test_claims(table);
}

TEST(CheckTotal, TheLastRowInPlaceOfTheSum) {
  const auto findings = found_by(check_total, with_total(4000));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "\"FLOPs\" is 4,000, and the sum of the 3 rows 7,000");
  EXPECT_EQ(findings[0].meaning, "it is the value of the last row, c, in place of the sum");
  EXPECT_EQ(found_by(check_total, with_total(6999)).size(), 1u);
}

TEST(CheckTotal, SumsAndRoundedSumsAreFine) {
  EXPECT_TRUE(found_by(check_total, with_total(7000)).empty());
  EXPECT_TRUE(found_by(check_total, with_total(7040, 50)).empty());
}

TEST(CheckTotal, PartsOfATreeAreNotAddedTwice) {
  Claims claims = with_total(5000);
  claims.tables[0].rows[1].parent = 0;
  EXPECT_TRUE(found_by(check_total, claims).empty());  // a + c
}

TEST(CheckTotal, GroupsThatStateTheirSum) {
  ClaimTable table = test_table({{.title = "bytes", .meaning = Meaning::TensorBytes}},
                                {{"x", {30}}, {"x[0]", {10}}, {"x[1]", {15}}});
  table.rows[0].is_sum = true;
  table.rows[1].parent = table.rows[2].parent = 0;
  const auto findings = found_by(check_total, test_claims(table));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "\"bytes\" is 30, and the sum of its 2 parts 25");
}

}  // namespace
}  // namespace strata::lint
