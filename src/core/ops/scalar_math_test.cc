#include "ops/scalar_math.h"

#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata::scalar {
namespace {

Scalar whole(std::int64_t number) { return Scalar(number); }
Scalar symbol(const char* name) { return Scalar(Expr::symbol(name)); }

std::string text(const Scalar& a) {
  return a.is_real() ? "real " + std::to_string(*a.number()) : a.whole().text();
}

TEST(ScalarMath, IntegersAndFormulasStayExact) {
  EXPECT_EQ(text(add(whole(2), whole(3))), "5");
  EXPECT_EQ(text(add(symbol("N"), whole(3))), "N + 3");
  EXPECT_EQ(text(subtract(symbol("N"), symbol("N"))), "0");
  EXPECT_EQ(text(multiply(symbol("N"), Scalar::real(2.0))), "2·N");
  EXPECT_EQ(text(power(symbol("N"), whole(2))), "N^2");
}

TEST(ScalarMath, AFractionOfAFormulaIsUnknown) {
  EXPECT_EQ(text(multiply(symbol("N"), Scalar::real(0.5))), "?");
  EXPECT_EQ(text(divide_real(symbol("N"), whole(2))), "?");
  EXPECT_EQ(text(divide_real(Scalar(Expr::symbol("N") * 4), whole(2))), "2·N");
}

TEST(ScalarMath, IntegerDivisionGoesTowardsZero) {
  EXPECT_EQ(text(divide_whole(whole(-7), whole(2))), "-3");
  EXPECT_EQ(text(divide_whole(whole(7), whole(-2))), "-3");
  EXPECT_EQ(text(divide_whole(symbol("N"), whole(2))), "⌊N/2⌋");
  EXPECT_EQ(text(divide_whole(whole(7), whole(0))), "?");
}

TEST(ScalarMath, TheTwoRemaindersDifferInSign) {
  EXPECT_EQ(text(modulo(whole(-7), whole(3))), "2");
  EXPECT_EQ(text(modulo(whole(7), whole(-3))), "-2");
  EXPECT_EQ(text(remainder(whole(-7), whole(3))), "-1");
  EXPECT_EQ(text(remainder(whole(7), whole(-3))), "1");
  EXPECT_EQ(text(modulo(whole(7), whole(0))), "?");
  EXPECT_EQ(text(remainder(whole(7), whole(0))), "?");
}

TEST(ScalarMath, FormulasCompareByWhatHoldsForEverySize) {
  EXPECT_EQ(text(equal(symbol("N"), symbol("N"))), "1");
  EXPECT_EQ(text(equal(symbol("N"), whole(-1))), "0");
  EXPECT_EQ(text(equal(symbol("N"), whole(4))), "?");
  EXPECT_EQ(text(less(whole(0), symbol("N"))), "1");
  EXPECT_EQ(text(at_least(symbol("N"), whole(1))), "1");
  EXPECT_EQ(text(at_most(symbol("N"), whole(0))), "0");
  EXPECT_EQ(text(greater(symbol("N"), symbol("M"))), "?");
  EXPECT_EQ(text(less(unknown(), unknown())), "?");
}

TEST(ScalarMath, LogicKnowsWhatDoesNotMatter) {
  EXPECT_EQ(text(logical_and(unknown(), whole(0))), "0");
  EXPECT_EQ(text(logical_or(unknown(), whole(1))), "1");
  EXPECT_EQ(text(logical_xor(unknown(), whole(1))), "?");
  EXPECT_EQ(text(select(unknown(), symbol("N"), symbol("N"))), "N");
  EXPECT_EQ(text(select(unknown(), symbol("N"), whole(3))), "?");
}

TEST(ScalarMath, ElementsFitTheirType) {
  EXPECT_EQ(text(fit(whole(300), DType::U8)), "?");
  EXPECT_EQ(text(fit(whole(-128), DType::I8)), "-128");
  EXPECT_EQ(text(fit(whole(-1), DType::U64)), "?");
  EXPECT_EQ(text(fit(whole(16777217), DType::F32)), "16777216");
  EXPECT_EQ(*fit(Scalar::real(0.1), DType::F32).number(), static_cast<double>(0.1f));
  EXPECT_EQ(*fit(Scalar::real(2049), DType::F16).number(), 2048);
  EXPECT_EQ(*fit(Scalar::real(257), DType::BF16).number(), 256);
}

TEST(ScalarMath, CastsGoTowardsZero) {
  EXPECT_EQ(text(convert(Scalar::real(-1.75), DType::I64)), "-1");
  EXPECT_EQ(text(convert(Scalar::real(0.5), DType::Bool)), "1");
  EXPECT_EQ(text(convert(symbol("N"), DType::Bool)), "1");
  EXPECT_EQ(text(convert(symbol("N"), DType::F32)), "N");
  EXPECT_EQ(text(convert(Scalar::real(std::nan("")), DType::I64)), "?");
  EXPECT_EQ(text(convert(whole(3), DType::F8E4M3FN)), "?");
}

TEST(ScalarMath, HalvesRoundToEven) {
  EXPECT_EQ(text(round_half_even(Scalar::real(0.5))), "0");
  EXPECT_EQ(text(round_half_even(Scalar::real(1.5))), "2");
  EXPECT_EQ(text(floor(symbol("N"))), "N");
}

RC_GTEST_PROP(ScalarMathProperties, IntegersAgreeWithTheMachine, (std::int32_t a, std::int32_t b)) {
  const Scalar x = whole(a), y = whole(b);
  RC_ASSERT(add(x, y).whole().is(std::int64_t{a} + b));
  RC_ASSERT(multiply(x, y).whole().is(std::int64_t{a} * b));
  RC_ASSERT(less(x, y).whole().is(a < b));
  RC_ASSERT(at_most(x, y).whole().is(a <= b));
  RC_ASSERT(equal(x, y).whole().is(a == b));
  RC_ASSERT(minimum(x, y).whole().is(std::min(a, b)));
  RC_PRE(b != 0);
  RC_ASSERT(divide_whole(x, y).whole().is(std::int64_t{a} / b));
  RC_ASSERT(remainder(x, y).whole().is(std::int64_t{a} % b));
}

}  // namespace
}  // namespace strata::scalar
