#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

TEST(CheckRate, WorkOverTimeIsTheRate) {
  const ClaimColumn rate{.title = "FLOPS", .meaning = Meaning::FlopsPerSecond};
  const auto findings = found_by(
      check_rate, test_claims(test_table({kFlops, kSeconds, rate}, {{"a", {700e6, 50e-3, 14e9}},
                                                                    {"b", {700e6, 50e-3, 28e9}}})));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rows, std::vector<std::string>{"b"});
  EXPECT_EQ(findings[0].evidence, "\"FLOPS\" is 28.00 G, and 700.0 M over 50.00 ms are 14.00 G");
}

}  // namespace
}  // namespace strata::lint
