#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

Claims parts(double whole, double a, double b) {
  ClaimTable table = test_table({kSeconds}, {{"heads", {whole}}, {"a", {a}}, {"b", {b}}});
  table.rows[1].parent = table.rows[2].parent = 0;
  return test_claims(table);
}

TEST(CheckNesting, PartsThatTakeLongerThanTheWhole) {
  const auto findings = found_by(check_nesting, parts(0.4, 0.3, 0.2));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "heads");
  // 0.3 + 0.2 = 0.5; 0.4 is 20 % less
  EXPECT_EQ(findings[0].evidence,
            "its 2 parts take 500.0 ms together, it takes 400.0 ms: 20.0 % less");
}

TEST(CheckNesting, ARemainderThatNoPartExplains) {
  const auto findings = found_by(check_nesting, parts(0.51, 0.3, 0.1));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence,
            "of its 510.0 ms, 2 parts explain 400.0 ms: 110.0 ms are left, 22 %");
}

TEST(CheckNesting, FunctionsHaveTimeOfTheirOwn) {
  Claims claims = parts(0.51, 0.3, 0.1);
  claims.tables[0].own_work = true;
  EXPECT_TRUE(found_by(check_nesting, claims).empty());
}

TEST(CheckNesting, PartsThatAddUpAreFine) {
  EXPECT_TRUE(found_by(check_nesting, parts(0.5, 0.3, 0.2)).empty());
  EXPECT_TRUE(found_by(check_nesting, parts(0.5, 0.3, 0.204)).empty());  // within 1 %
  EXPECT_TRUE(found_by(check_nesting, parts(0.5, 0.3, 0.16)).empty());   // 8 % left
  EXPECT_TRUE(found_by(check_nesting, parts(0.5, 0.3, -1)).empty());     // b is not known
}

}  // namespace
}  // namespace strata::lint
