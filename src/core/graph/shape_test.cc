#include "strata/graph/shape.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

const Expr kN = Expr::symbol("N");

TEST(Shape, ElementsAreTheProduct) {
  EXPECT_EQ(elements({}), Expr(1));
  EXPECT_EQ(elements({1, 3, 224, 224}), Expr(150528));
  EXPECT_EQ(elements({kN, 64, 56, 56}), 200704 * kN);
  EXPECT_TRUE(elements({kN, Expr::unknown()}).is_unknown());
  EXPECT_TRUE(elements({1 << 30, 1 << 30, 1 << 30}).is_overflow());
}

TEST(Shape, AnEmptyAxisMakesItEmptyWhateverTheOthersAre) {
  const Expr huge = Expr::kMaxNumber;
  EXPECT_EQ(elements({0, Expr::unknown()}), Expr(0));
  EXPECT_EQ(elements({Expr::unknown(), 0}), Expr(0));
  EXPECT_EQ(elements({huge, huge, 0}), Expr(0));
}

TEST(Shape, BytesOfWholeByteTypes) {
  EXPECT_EQ(bytes(10, DType::F32), Expr(40));
  EXPECT_EQ(bytes(10, DType::Bool), Expr(10));
  EXPECT_EQ(bytes(10, DType::C128), Expr(160));
  EXPECT_EQ(bytes(10 * kN, DType::F16), 20 * kN);
  EXPECT_TRUE(bytes(Expr::kMaxNumber, DType::F32).is_overflow());
  EXPECT_TRUE(bytes(Expr::unknown(), DType::F32).is_unknown());
}

TEST(Shape, BytesOfPackedTypesAreRoundedUp) {
  EXPECT_EQ(bytes(0, DType::I4), Expr(0));
  EXPECT_EQ(bytes(5, DType::I4), Expr(3));
  EXPECT_EQ(bytes(5, DType::U2), Expr(2));
  EXPECT_EQ(bytes(4096 * kN, DType::F4E2M1), 2048 * kN);
  EXPECT_EQ(bytes(kN, DType::U4).text(), "⌊(N + 1)/2⌋");
  EXPECT_EQ(bytes(Expr::kMaxNumber, DType::I2), Expr(std::int64_t{1} << 60));
}

TEST(Shape, TypesWithoutASizeHaveNoBytes) {
  EXPECT_TRUE(bytes(10, DType::String).is_unknown());
  EXPECT_TRUE(bytes(10, DType::Undefined).is_unknown());
}

TEST(Shape, Text) {
  EXPECT_EQ(text(Dims{}), "scalar");
  EXPECT_EQ(text(Dims{7}), "7");
  EXPECT_EQ(text(Dims{1, 3, 224, 224}), "1×3×224×224");
  EXPECT_EQ(text(Dims{kN, 64, 56, 56}), "N×64×56×56");
  EXPECT_EQ(text(Dims{kN + 1, 2 * kN, floor_div(kN, 2), Expr::unknown()}), "(N + 1)×2·N×⌊N/2⌋×?");
}

TEST(Shape, ManyAxes) {
  const Dims dims(12, 2);
  EXPECT_EQ(elements(dims), Expr(4096));
}

}  // namespace
}  // namespace strata
