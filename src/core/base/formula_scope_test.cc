#include "base/formula_scope.h"

#include <string>

#include <gtest/gtest.h>

#include "base/poly.h"

namespace strata {
namespace {

Expr symbol(const std::string& name) { return Expr::symbol(name); }

// x1 + x2 + … of this many symbols.
Expr long_sum(const std::string& name, int terms) {
  Expr sum;
  for (int i = 0; i < terms; ++i) sum += symbol(name + std::to_string(i));
  return sum;
}

// Products of two long sums, each another one, until one is unknown.
int products_until_unknown(int most) {
  const Expr sum = long_sum("a", 15);
  for (int i = 0; i < most; ++i)
    if (((sum + i) * (long_sum("b", 14) + i)).is_unknown()) return i;
  return most;
}

TEST(FormulaScope, WithoutOneNothingIsCounted) { EXPECT_EQ(products_until_unknown(2'000), 2'000); }

TEST(FormulaScope, WorkOverTheLimitIsUnknownAndSaidSo) {
  const FormulaScope scope(0);
  EXPECT_FALSE(scope.is_over_limit());
  const int products = products_until_unknown(1'000'000);
  EXPECT_GT(products, 1'000) << "a small file may do what real networks do";
  EXPECT_LT(products, 1'000'000);
  EXPECT_TRUE(scope.is_over_limit());
}

TEST(FormulaScope, TheLimitGrowsWithTheFileAndTheFactor) {
  const auto products = [](std::uint64_t bytes, double factor) {
    const FormulaScope scope(bytes, factor);
    return products_until_unknown(1'000'000);
  };
  const int least = products(0, 1);
  EXPECT_NEAR(products(0, 3), 3 * least, 0.01 * least);
  EXPECT_GT(products(50'000, 1), least);
  EXPECT_EQ(products(0, 1), least) << "it depends on the work alone, not on time or on a seed";
}

TEST(FormulaScope, WhatFormulasAreMadeOfIsLimited) {
  const FormulaScope scope(0);
  const Expr sum = long_sum("x", 100);
  std::size_t made = 0;
  while (made < 1'000'000 && !(sum * static_cast<std::int64_t>(made + 2)).is_unknown()) ++made;
  EXPECT_TRUE(scope.is_over_limit());
  // Each has 100 terms of a coefficient and a symbol. The first sum took 2 + 4 + … + 200.
  EXPECT_EQ(made, (5'000'000u - 100 * 101 - 2 * 100) / 200);
}

TEST(FormulaScope, TheOuterScopeCounts) {
  const FormulaScope outer(0);
  int products = 0;
  for (int i = 0; i < 1'000 && !outer.is_over_limit(); ++i) {
    const FormulaScope inner(1'000'000'000, 1'000);
    products += products_until_unknown(1'000);
  }
  EXPECT_TRUE(outer.is_over_limit()) << products;
}

TEST(FormulaScope, EqualFormulasAreOne) {
  const FormulaScope scope(0);
  const Expr a = symbol("N") * 4 + 1, b = 1 + 4 * symbol("N");
  EXPECT_EQ(detail::Access::bits(a), detail::Access::bits(b));
  EXPECT_EQ(a * a, symbol("N") * symbol("N") * 16 + symbol("N") * 8 + 1);
  EXPECT_EQ(a * a, a * a) << "also when the result is remembered";
}

TEST(FormulaScope, FormulasOutliveIt) {
  Expr kept;
  {
    const FormulaScope scope(0);
    kept = symbol("N") * symbol("S") + 3;
  }
  EXPECT_EQ(kept.text(), "N·S + 3");
  EXPECT_EQ(kept, symbol("S") * symbol("N") + 3);
}

}  // namespace
}  // namespace strata
