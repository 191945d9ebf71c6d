#include "base/shortened.h"

#include <gtest/gtest.h>

#include "strata/base/expr.h"

namespace strata {
namespace {

TEST(Shortened, KeepsTheEndOfALongText) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "…bcd");
  EXPECT_EQ(shortened("", 3), "");
  EXPECT_EQ(shortened(std::string(1'000'000, 'x') + "end").size(), kLongestShown + 3);
}

TEST(Shortened, CutsNoCharacterInTwo) {
  EXPECT_EQ(shortened("aé", 1), "…");  // é has two bytes
  EXPECT_EQ(shortened("aéb", 2), "…b");
  EXPECT_EQ(shortened("aéb", 3), "…éb");
}

// printf 's%.0s' $(seq 300) | sha256sum begins with 2955c7328c57ca39.
TEST(Shortened, ALongSymbolHasADigest) {
  EXPECT_EQ(symbol_name(std::string(256, 's')), std::string(256, 's'));
  EXPECT_EQ(symbol_name(std::string(300, 's')), std::string(100, 's') + "…2955c7328c57ca39");
}

TEST(Shortened, LongSymbolsAreShortInFormulasAndStayDifferent) {
  const std::string name(1'000'000, 's');
  const Expr one = Expr::symbol(name), two = Expr::symbol(name + "t");
  EXPECT_LT((one * two).text().size(), 300u);
  EXPECT_EQ(one, Expr::symbol(name));
  EXPECT_NE(one, two);
  EXPECT_EQ((one + two).symbols().size(), 2u);
}

// A formula has 4,096 atoms at most when it is written out, and a symbol counts as one more for
// every 32 bytes: of 253 bytes as 8, of which 500 are 4,000 and 520 are 4,160.
TEST(Shortened, AFormulaOfLongSymbolsIsUnknownSooner) {
  Expr product = 1;
  for (int i = 0; i < 500; ++i)
    product *= Expr::symbol(std::string(250, 'a') + std::to_string(100 + i));
  EXPECT_TRUE(product.is_formula());
  for (int i = 0; i < 20; ++i)
    product *= Expr::symbol(std::string(250, 'b') + std::to_string(100 + i));
  EXPECT_TRUE(product.is_unknown());
}

}  // namespace
}  // namespace strata
