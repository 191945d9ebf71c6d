#include "base/expr_sum.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

Expr sum_of(const std::vector<Expr>& items) {
  ExprSum sum;
  for (const Expr& item : items) sum += item;
  return sum.total();
}

TEST(ExprSum, OfNothingIsZero) { EXPECT_EQ(ExprSum().total(), Expr(0)); }

TEST(ExprSum, CountsRepeatedFormulas) {
  const Expr n = Expr::symbol("N"), s = Expr::symbol("S");
  std::vector<Expr> items;
  for (int i = 0; i < 100; ++i) {
    items.push_back(n * s * 3);
    items.push_back(n + 7);
    items.push_back(5);
  }
  EXPECT_EQ(sum_of(items), n * s * 300 + n * 100 + 1200);
}

TEST(ExprSum, IsUnknownAsASumOfExprsIs) {
  const Expr n = Expr::symbol("N");
  EXPECT_TRUE(sum_of({n, Expr::unknown(), 3}).is_unknown());
  EXPECT_FALSE(sum_of({n, Expr::unknown(), 3}).is_overflow());
  EXPECT_TRUE(sum_of({n, Expr::unknown(), Expr::overflow()}).is_overflow());
  EXPECT_TRUE(sum_of({Expr::kMaxNumber, 1}).is_overflow());
  EXPECT_TRUE(sum_of({n * Expr::kMaxNumber, n * Expr::kMaxNumber}).is_overflow());
}

// Far more formulas than it keeps apart. The oracle is Expr's own addition, one after the other.
RC_GTEST_PROP(ExprSumLaws, EqualsAddingOneByOne, (const std::vector<std::uint16_t>& steps)) {
  const Expr n = Expr::symbol("N"), s = Expr::symbol("S");
  std::vector<Expr> items;
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const std::uint16_t step : steps)
      items.push_back(step % 3 == 0 ? Expr(step)
                                    : n * (step % 500) + s * n * (step % 7) + step % 11);
  Expr expected;
  for (const Expr& item : items) expected += item;
  RC_ASSERT(sum_of(items) == expected);
}

}  // namespace
}  // namespace strata
