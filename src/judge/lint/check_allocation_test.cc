#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

// Each output is 1×1×256×1024 floats: 1 MiB.
Claims allocations(const std::vector<double>& mebibytes) {
  ClaimTable table = test_table({{.title = "mem_cpu", .meaning = Meaning::AllocatedBytes}}, {});
  for (double size : mebibytes)
    table.rows.push_back({.name = "conv" + std::to_string(table.rows.size()),
                          .outputs = {{1, 1, 256, 1024}},
                          .numbers = {exactly(size * 1048576)}});
  return test_claims(table);
}

TEST(CheckAllocation, TheSameMultipleInSeveralRows) {
  const auto findings = found_by(check_allocation, allocations({5.003, 4.999, 5.02, 1.0}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rows.size(), 3u);
  EXPECT_EQ(findings[0].row, "conv1");
  EXPECT_EQ(findings[0].evidence,
            "\"mem_cpu\" has 4.999 MiB for an output of 1.000 MiB: 5.00 times; 3 layers have 5 "
            "times theirs");
}

TEST(CheckAllocation, OtherMultiplesAreFine) {
  EXPECT_TRUE(found_by(check_allocation, allocations({1.0, 1.0, 1.0, 1.0})).empty());
  EXPECT_TRUE(found_by(check_allocation, allocations({5.0, 5.0, 4.0})).empty());
  EXPECT_TRUE(found_by(check_allocation, allocations({5.3, 5.3, 5.3})).empty());
  // Three of seven are not a rule.
  EXPECT_TRUE(found_by(check_allocation, allocations({2, 2, 2, 1.4, 1.5, 1.6, 1.7})).empty());
}

}  // namespace
}  // namespace strata::lint
