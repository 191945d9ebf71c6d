#include <gtest/gtest.h>

#include "lint/checks.h"
#include "lint/test_claims.h"

namespace strata::lint {
namespace {

Claims claims_of(double flops, double seconds, double bytes) {
  const ClaimColumn moved{.title = "mem", .meaning = Meaning::MovedBytes};
  return test_claims(test_table({kSeconds, kFlops, moved}, {{"a", {seconds, flops, bytes}}}));
}

TEST(CheckRateAbovePeak, WorkIsComparedWithThePeak) {
  Claims claims = claims_of(47e9, 1e-4, -1);                     // 47e9 / 1e-4 = 470e12
  EXPECT_TRUE(found_by(check_rate_above_peak, claims).empty());  // nobody says what it can do
  claims.peak_flops_per_s = 40e12;
  const auto findings = found_by(check_rate_above_peak, claims);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].evidence, "470.0 TFLOP/s where the device has 40.00 TFLOP/s");
  claims.peak_flops_per_s = 450e12;  // within 5 %
  EXPECT_TRUE(found_by(check_rate_above_peak, claims).empty());
}

TEST(CheckRateAbovePeak, BytesOnlyWhereNoCacheHoldsThem) {
  Claims claims = claims_of(-1, 1e-3, 1e9);  // 1 TB/s
  claims.peak_bytes_per_s = 500e9;
  EXPECT_EQ(found_by(check_rate_above_peak, claims).size(), 1u);
  claims = claims_of(-1, 1e-6, 1e6);
  claims.peak_bytes_per_s = 500e9;
  EXPECT_TRUE(found_by(check_rate_above_peak, claims).empty());
}

}  // namespace
}  // namespace strata::lint
