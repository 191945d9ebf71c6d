#include "profile/figures.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// 100 blocks of three layers: 3·N MACs and half a pJ, N + 7 bytes read in a quarter of a second,
// and nothing. Of the FLOPs of one block in ten nothing is known.
TEST(FiguresSum, AddsNumbersFormulasAndFractions) {
  const Expr n = Expr::symbol("N");
  FiguresSum sum;
  for (int block = 0; block < 100; ++block) {
    Figures product, move, sizes;
    product.macs = n * 3;
    product.params = 4;
    product.picojoules = Amount::ratio(1, 2);
    move.read_bytes = Amount(Expr(n + 7));
    move.seconds = 0.25;
    if (block % 10 == 0) move.flops = Amount::unknown();
    sum.add(product);
    sum.add(move);
    sum.add(sizes);
  }
  const Figures total = sum.total();
  EXPECT_EQ(total.macs, Amount(Expr(n * 300)));
  EXPECT_EQ(total.params, Expr(400));
  EXPECT_EQ(total.picojoules, Amount(50));
  EXPECT_EQ(total.read_bytes, Amount(Expr(n * 100 + 700)));
  EXPECT_EQ(total.flops, Amount(0));
  EXPECT_EQ(total.work, Certainty::LowerBound);
  EXPECT_EQ(total.macs_work, Certainty::Exact);
  EXPECT_EQ(total.bytes, Certainty::Exact);
  EXPECT_EQ(total.seconds, 25.0);
}

TEST(FiguresSum, OfNothingIsNothing) {
  const Figures total = FiguresSum().total();
  EXPECT_EQ(total.macs, Amount(0));
  EXPECT_EQ(total.work, Certainty::Exact);
  EXPECT_FALSE(total.seconds);
}

}  // namespace
}  // namespace strata
