#include "strata/cost/amount.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Amount, KeepsFractionsExactly) {
  const Amount third = Amount::ratio(1, 3);
  EXPECT_TRUE((third + third + third).is(1));
  EXPECT_EQ(Amount::ratio(6, -4).text(), "-1.5");
  EXPECT_EQ((Amount(7) / Amount(2)).floor().text(), "3");
  EXPECT_EQ((Amount(7) / Amount(2)).ceil().text(), "4");
  EXPECT_EQ(floor_quotient(Amount::ratio(7, 2), Amount::ratio(1, 2)).text(), "7");
}

TEST(Amount, WorksWithFormulas) {
  const Amount n = Expr::symbol("N");
  EXPECT_EQ((n / Amount(4)).text(), "(N)/4");
  EXPECT_EQ((n / Amount(4) * Amount(8)).text(), "2·N");
  EXPECT_EQ((n * Amount(6) / n).text(), "6");
  EXPECT_TRUE((Amount(1) / n).is_unknown());
  EXPECT_FALSE(n.number());
}

TEST(Amount, ReadsDecimals) {
  EXPECT_EQ(Amount::from_decimal("4.5"), Amount::ratio(9, 2));
  EXPECT_EQ(Amount::from_decimal("0.0125"), Amount::ratio(1, 80));
  EXPECT_EQ(Amount::from_decimal("640"), Amount(640));
  for (const char* bad : {"", ".", "5.", "1e3", "-1", "1.2.3", "12345678901234567890"})
    EXPECT_FALSE(Amount::from_decimal(bad)) << bad;
}

TEST(Amount, UnknownStaysUnknown) {
  EXPECT_TRUE((Amount::unknown() + Amount(1)).is_unknown());
  EXPECT_TRUE((Amount(1) / Amount(0)).is_unknown());
  EXPECT_TRUE(Amount::ratio(1, 0).is_unknown());
  EXPECT_TRUE((Amount::unknown() * Amount::ratio(1, 2)).is_unknown());
  // A denominator larger than any count has.
  Amount tiny = Amount::ratio(1, 1 << 20);
  EXPECT_TRUE((tiny * tiny).is_unknown());
}

}  // namespace
}  // namespace strata
