#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

using ::testing::HasSubstr;

Claims convolutions(const std::vector<double>& seconds) {
  ClaimTable table = test_table({kSeconds, kFlops}, {{"conv_0", {seconds[0], 64e9}},
                                                     {"conv_1", {seconds[1], 16e9}},
                                                     {"conv_2", {seconds[2], 4e9}},
                                                     {"conv_3", {seconds[3], 1e9}}});
  return test_claims(table);
}

TEST(CheckTimeFlat, TimesThatDoNotFollowTheWorkAreFound) {
  const auto findings = found_by(check_time_flat, convolutions({80e-6, 81e-6, 98e-6, 90e-6}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].row, "conv_0");
  EXPECT_EQ(findings[0].rows.size(), 4u);
  // 64e9 / 1e9 = 64; 64e9 / 80e-6 = 800e12
  EXPECT_THAT(
      findings[0].evidence,
      HasSubstr("4 layers from 1.000 GFLOP to 64.00 GFLOP, 64 times as much, all take 80.00 "
                "µs to 98.00 µs; conv_0 would compute 800.0 TFLOP/s"));
}

TEST(CheckTimeFlat, TimesThatGrowAreFine) {
  EXPECT_TRUE(found_by(check_time_flat, convolutions({80e-6, 60e-6, 50e-6, 40e-6})).empty());
}

TEST(CheckTimeFlat, OnlyLayersOfAKindAreCompared) {
  Claims claims = convolutions({80e-6, 80e-6, 80e-6, 80e-6});
  claims.tables[0].rows[0].type = claims.tables[0].rows[1].type = "Conv2d";
  claims.tables[0].rows[2].type = claims.tables[0].rows[3].type = "ReLU";
  EXPECT_TRUE(found_by(check_time_flat, claims).empty());
}

TEST(CheckTimeFlat, WithoutCostsElementsAreTheWork) {
  ClaimTable table =
      test_table({kSeconds}, {{"a_0", {1e-4}}, {"a_1", {1e-4}}, {"a_2", {1e-4}}, {"a_3", {1e-4}}});
  for (std::size_t r = 0; r < 4; ++r) {
    const std::int64_t side = 8 << r;
    table.rows[r].inputs = table.rows[r].outputs = {{1, 4, side, side}};
  }
  const auto findings = found_by(check_time_flat, test_claims(table));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_THAT(findings[0].evidence, HasSubstr("64 times as much"));  // (64 / 8)²
}

TEST(CheckTimeFlat, ViewsAndFunctionsOfATraceMayBeFlat) {
  ClaimTable table =
      test_table({kSeconds}, {{"a_0", {1e-4}}, {"a_1", {1e-4}}, {"a_2", {1e-4}}, {"a_3", {1e-4}}});
  for (std::size_t r = 0; r < 4; ++r) {
    const std::int64_t side = 8 << r;
    table.rows[r].inputs = table.rows[r].outputs = {{1, 4, side, side}};
    table.rows[r].type = "FusedConv";
  }
  EXPECT_EQ(found_by(check_time_flat, test_claims(table)).size(), 1u);
  table.own_work = true;
  EXPECT_TRUE(found_by(check_time_flat, test_claims(table)).empty());
  table.own_work = false;
  for (ClaimRow& row : table.rows) row.type = "Reshape";
  EXPECT_TRUE(found_by(check_time_flat, test_claims(table)).empty());
}

}  // namespace
}  // namespace strata::lint
