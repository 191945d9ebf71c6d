#include "base/fixed_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

namespace strata {
namespace {

// The C library's digits, which are exact.
std::string by_printf(double number, int decimals) {
  char text[400];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return text;
}

void expect_same(double number) {
  for (int decimals = 0; decimals <= 3; ++decimals)
    ASSERT_EQ(fixed_text(number, decimals), by_printf(number, decimals)) << number;
}

TEST(FixedText, HasPrintfsDigits) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-6, 12);
  for (int i = 0; i < 100'000; ++i) expect_same(std::pow(10, exponent(random)));
}

// 0.125 is exactly between two texts; 0.35 is a little less than what it looks like.
TEST(FixedText, HalvesAreRoundedByTheirExactValue) {
  for (int i = 0; i < 20'000; ++i) {
    expect_same(i / 20.0);
    expect_same(i / 200.0);
    expect_same(i / 2000.0);
    expect_same(i / 16.0);
  }
}

TEST(FixedText, NumbersThatAreOutOfTheOrdinary) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double number : {0.0, -0.0, 9.9995, 99.995, 999.95, 999999.9996, 1e9, 4e9, 1e300,
                              1e-300, -1.0, -0.05, kInfinity, -kInfinity})
    expect_same(number);
}

}  // namespace
}  // namespace strata
