#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

ClaimTable table(const std::string& title, const std::vector<double>& seconds, double wait) {
  ClaimTable out = test_table({kSeconds, kFlops}, {{"conv_0", {seconds[0], 64e9}},
                                                   {"conv_1", {seconds[1], 16e9}},
                                                   {"conv_2", {seconds[2], 4e9}},
                                                   {"conv_3", {seconds[3], 1e9}},
                                                   {"anchors", {wait, -1}}});
  out.title = title;
  return out;
}

TEST(CheckAbsorbedWait, ARowThatIsSmallElsewhereIsFound) {
  Claims claims = test_claims(table("gpu", {1e-4, 1e-4, 1e-4, 1e-4}, 36e-4));
  claims.tables.push_back(table("cpu", {64e-2, 16e-2, 4e-2, 11e-2}, 5e-2));
  const auto findings = found_by(check_absorbed_wait, claims);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].table, "gpu");
  EXPECT_EQ(findings[0].row, "anchors");
  // 36 of 4 · 1 + 36; 5 of 64 + 16 + 4 + 11 + 5 = 100
  EXPECT_EQ(findings[0].evidence,
            "it takes 3.600 ms, 90 % of the time, and 5.0 % of it in \"cpu\"");
}

TEST(CheckAbsorbedWait, ATableWhoseTimesFollowTheWorkIsFine) {
  Claims claims = test_claims(table("gpu", {64e-4, 16e-4, 4e-4, 1e-4}, 360e-4));
  EXPECT_TRUE(found_by(check_absorbed_wait, claims).empty());
}

}  // namespace
}  // namespace strata::lint
