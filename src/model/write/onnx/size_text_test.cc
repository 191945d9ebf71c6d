#include "write/onnx/size_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "read/onnx/size_text.h"

namespace strata::onnx {
namespace {

const Expr kN = Expr::symbol("N");
const Expr kS = Expr::symbol("seq_len");

TEST(SizeText, IsWhatExportersWrite) {
  EXPECT_EQ(size_text(kN), "N");
  EXPECT_EQ(size_text(2 * kS), "2*seq_len");
  EXPECT_EQ(size_text(kN * kN * kS), "N*N*seq_len");
  EXPECT_EQ(size_text(5 - kN), "5 - N");
  EXPECT_EQ(size_text(-kN), "0 - N");
  EXPECT_EQ(size_text(3 * floor_div(kN + 1, 2)), "3*((N + 1)//2)");
  EXPECT_EQ(size_text(floor_div(kN, kS)), "(N//seq_len)");
  EXPECT_EQ(size_text(max(kN - 2, 1)), "Max(N - 2, 1)");
  // A name that looks like a formula, but is not one, stays a name.
  EXPECT_EQ(size_text(Expr::symbol("batch-size")), "batch-size");
}

Expr random_expr(int depth) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 2 : 8);
  if (kind == 0) return Expr::symbol(*rc::gen::element<std::string>("N", "s0", "past.len", "x_d0"));
  if (kind == 1) return Expr(*rc::gen::inRange<std::int64_t>(-5, 6));
  const Expr a = random_expr(depth - 1);
  const Expr b = random_expr(depth - 1);
  switch (kind) {
    case 2:
    case 3:
      return a + b;
    case 4:
      return a * b;
    case 5:
      return floor_div(a, b);
    case 6:
      return min(a, b);
    default:
      return max(a, b);
  }
}

RC_GTEST_PROP(SizeText, IsReadAsTheSameFormula, ()) {
  const Expr formula = random_expr(3);
  RC_PRE(formula.is_formula());
  const std::string text = size_text(formula);
  RC_PRE(text.size() <= 256u);  // longer texts are read as a name
  RC_ASSERT(size_from_text(text) == formula);
}

}  // namespace
}  // namespace strata::onnx
