#include "cost/largest_formula.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

const Expr kN = Expr::symbol("n"), kM = Expr::symbol("m");

std::int64_t at(const Expr& formula, std::int64_t n, std::int64_t m) {
  return formula
      .substitute([&](std::string_view name) { return std::optional(Expr(name == "n" ? n : m)); })
      .value();
}

TEST(LargestFormula, KeepsWhatMayBeTheLargest) {
  LargestFormula largest;
  largest.add(kN * 512, 3);
  largest.add(kN * kN * 8 + kN * 32, 5);
  EXPECT_TRUE(largest.is_complete());
  EXPECT_TRUE(largest.depends_on_sizes());
  EXPECT_EQ(largest.node(), 5u) << "it is the largest from n = 61 on";
  EXPECT_EQ(at(largest.value(), 1, 1), 512);
  EXPECT_EQ(at(largest.value(), 60, 1), 30720);  // 8·3600 + 32·60 = 30,720 as well
  EXPECT_EQ(at(largest.value(), 1000, 1), 8032000);
}

TEST(LargestFormula, LeavesOutWhatIsNeverTheLargest) {
  LargestFormula largest;
  largest.add(kN * 3, 0);
  largest.add(kN * kN * 4, 1);
  largest.add(kN * kN + kN * 2, 2);  // n² + 2·n ≤ 4·n² from n = 1 on
  EXPECT_FALSE(largest.depends_on_sizes());
  EXPECT_EQ(largest.value(), kN * kN * 4);
  EXPECT_EQ(largest.node(), 1u);
}

TEST(LargestFormula, OfEqualsTheFirstIsNamed) {
  LargestFormula largest;
  for (const NodeId node : {0u, 1u}) largest.add(Expr(7), node);
  EXPECT_EQ(largest.node(), 0u);
  EXPECT_EQ(largest.value(), Expr(7));
}

TEST(LargestFormula, AnUnknownFormulaMakesItALowerBound) {
  LargestFormula largest;
  largest.add(kN, 0);
  largest.add(Expr::unknown(), 1);
  EXPECT_FALSE(largest.is_complete());
  EXPECT_EQ(largest.value(), kN);
}

// Brute force: at every size it is the largest of all that were added, or it says that it may be
// less.
RC_GTEST_PROP(LargestFormula, IsTheMaximumAtEverySize, ()) {
  LargestFormula largest;
  std::vector<Expr> all;
  const auto count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i) {
    const auto some = [](std::int64_t most) {
      return Expr(*rc::gen::inRange<std::int64_t>(0, most));
    };
    all.push_back(some(5) * kN * kN + some(5) * kN * kM + some(40) * kN + some(40) * kM +
                  some(500) + some(9) * floor_div(kN, Expr(2)));
    largest.add(all.back(), static_cast<NodeId>(i));
  }
  RC_ASSERT(largest.is_complete());
  const Expr value = largest.value();
  for (const std::int64_t n : {1, 2, 3, 4, 7, 10, 31, 100, 1000})
    for (const std::int64_t m : {1, 2, 3, 5, 9, 64, 900}) {
      std::int64_t most = 0;
      for (const Expr& one : all) most = std::max(most, at(one, n, m));
      RC_ASSERT(at(value, n, m) == most);
    }
}

}  // namespace
}  // namespace strata
