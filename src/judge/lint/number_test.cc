#include "lint/number.h"

#include <gtest/gtest.h>

namespace strata::lint {
namespace {

void expect(std::string_view text, double value, double rounding) {
  const auto number = parse_number(text);
  ASSERT_TRUE(number) << text;
  EXPECT_DOUBLE_EQ(number->value, value) << text;
  EXPECT_NEAR(number->rounding, rounding, 1e-9 * (rounding + 1e-12)) << text;
}

TEST(LintNumber, HasTheUnitThatFollowsIt) {
  expect("12608", 12608, 0);
  expect("12,608.0", 12608, 0);  // a count
  expect("6,576,668,672.0", 6576668672.0, 0);
  expect("61.1M", 61.1e6, 0.05e6);
  expect("5M", 5e6, 0.5e6);
  expect("9.78%", 9.78, 0.005);
  expect("40.96 Mb", 40.96e6, 0.005e6);
  expect("1.12GB", 1.12e9, 0.005e9);
  expect("2MiB", 2097152, 0.5 * 1048576);
  expect("0.0509812", 0.0509812, 5e-8);
  expect("8.393651e+07", 8.393651e7, 5);  // 5e-7 of 1e7
  expect("5.698204040527344e-05", 5.698204040527344e-05, 5e-21);
  expect(" -3 ", -3, 0);
  expect("250us", 250e-6, 0.5e-6);
}

TEST(LintNumber, RefusesOtherTexts) {
  for (const char* text :
       {"", "-", ".", "abc", "1,23", "12,3456", "1e999", "inf", "nan", "1.2.3", "5 apples", "0x10",
        "1e", "--1", "11111111111111111111111111111111111111111111111111111111111111111"})
    EXPECT_FALSE(parse_number(text)) << text;
}

}  // namespace
}  // namespace strata::lint
