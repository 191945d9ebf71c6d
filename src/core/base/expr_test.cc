#include "strata/base/expr.h"

#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

const Expr kN = Expr::symbol("N");
const Expr kM = Expr::symbol("M");
const Expr kS = Expr::symbol("S");
const Expr kH = Expr::symbol("H");

// Output size of a convolution or pool.
Expr window(const Expr& size, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return floor_div(size + 2 * pad - kernel, stride) + 1;
}

TEST(Expr, NumbersAreNumbers) {
  EXPECT_TRUE(Expr().is(0));
  EXPECT_EQ((Expr(6) * 7).value(), 42);
  EXPECT_EQ((Expr(-6) * 7 - 1).value(), -43);
  EXPECT_EQ(Expr(5).number(), 5);
  EXPECT_EQ(kN.number(), std::nullopt);
  EXPECT_EQ(Expr(Expr::kMinNumber).value(), Expr::kMinNumber);
}

TEST(Expr, RoundsDownUpAndKeepsTheSignOfTheDivisorInMod) {
  for (int a = -9; a <= 9; ++a) {
    for (int b : {-4, -3, -1, 1, 3, 4}) {
      const std::int64_t down = floor_div(a, b).value();
      const std::int64_t up = ceil_div(a, b).value();
      const std::int64_t rest = mod(a, b).value();
      EXPECT_EQ(down * b + rest, a);
      EXPECT_TRUE(b > 0 ? 0 <= rest && rest < b : b < rest && rest <= 0) << a << " mod " << b;
      EXPECT_EQ(up, rest == 0 ? down : down + 1);
    }
  }
}

TEST(Expr, DivisionByZeroIsUnknown) {
  for (const Expr& a : {Expr(1), kN, Expr::unknown()}) {
    EXPECT_TRUE(floor_div(a, 0).is_unknown());
    EXPECT_TRUE(ceil_div(a, 0).is_unknown());
    EXPECT_TRUE(mod(a, 0).is_unknown());
    EXPECT_TRUE(mod(a, kN - kN).is_unknown());
    EXPECT_EQ(exact_div(a, 0), std::nullopt);
  }
}

TEST(Expr, OverflowIsNoticedAndStays) {
  const Expr big = Expr::kMaxNumber;
  EXPECT_EQ(big.value(), Expr::kMaxNumber);
  EXPECT_TRUE((big + 1).is_overflow());
  EXPECT_TRUE((big * 2).is_overflow());
  EXPECT_TRUE((-big - 2).is_overflow());
  EXPECT_FALSE((-big - 1).is_overflow());
  EXPECT_TRUE((-Expr(Expr::kMinNumber)).is_overflow());
  EXPECT_TRUE(floor_div(Expr::kMinNumber, -1).is_overflow());
  EXPECT_TRUE(Expr(Expr::kMaxNumber + 1).is_overflow());
  EXPECT_EQ(ceil_div(big, big).value(), 1);

  EXPECT_TRUE((big * kN + kN).is_overflow());
  EXPECT_TRUE((big * kN * 2).is_overflow());
  EXPECT_TRUE((Expr::kMinNumber * kN * -1).is_overflow());
  EXPECT_TRUE(((big * kN + big * kM) * (kN + kM)).is_overflow());
  EXPECT_TRUE((Expr::overflow() + kN).is_overflow());
  EXPECT_TRUE((Expr::overflow() * Expr::unknown()).is_overflow());
  EXPECT_TRUE(min(Expr::unknown(), Expr::overflow()).is_overflow());
  EXPECT_EQ(Expr::overflow() * 0, Expr(0));
}

TEST(Expr, UnknownAbsorbsAllButZeroInAProduct) {
  const Expr unknown = Expr::unknown();
  EXPECT_TRUE((unknown + 1).is_unknown());
  EXPECT_TRUE((kN - unknown).is_unknown());
  EXPECT_TRUE((unknown * kN).is_unknown());
  EXPECT_TRUE(floor_div(unknown, 2).is_unknown());
  EXPECT_TRUE(floor_div(kN, unknown).is_unknown());
  EXPECT_TRUE(max(unknown, 1).is_unknown());
  EXPECT_FALSE((unknown + 1).is_overflow());
  EXPECT_EQ(unknown * 0, Expr(0));
  EXPECT_EQ(0 * unknown, Expr(0));
  EXPECT_NE(unknown, unknown);
  EXPECT_NE(Expr::overflow(), Expr::overflow());
  EXPECT_EQ(unknown.evaluate([](auto) { return 1.0; }), std::nullopt);
}

TEST(Expr, EqualFormulasAreEqualHoweverTheyWereMade) {
  EXPECT_EQ(Expr::symbol("N"), kN);
  EXPECT_NE(kN, kM);
  EXPECT_NE(kN, Expr(1));
  EXPECT_EQ((kN + 1) * (kN - 1), kN * kN - 1);
  EXPECT_EQ((kN + 1) * (kN + 1) - kN * kN - 2 * kN, Expr(1));
  EXPECT_EQ(kN - kN, Expr(0));
  EXPECT_EQ(floor_div(kN + 1, 2), floor_div(1 + Expr::symbol("N"), 2));
  EXPECT_EQ(max(kN, kM), max(kM, kN));
  EXPECT_EQ(((kN + 1) * kM).hash(), (kM + kM * kN).hash());
}

TEST(Expr, FloorLetsOutWhatDividesExactly) {
  EXPECT_EQ(floor_div(4 * kN + 6, 2), 2 * kN + 3);
  EXPECT_EQ(floor_div(4 * kN + kM, 2), 2 * kN + floor_div(kM, 2));
  EXPECT_EQ(floor_div(kM + 7, 2), floor_div(kM + 1, 2) + 3);
  EXPECT_EQ(floor_div(kM - 1, 2), floor_div(kM + 1, 2) - 1);
  EXPECT_EQ(floor_div(6 * kN + 5, 4), floor_div(3 * kN, 2) + 1);
  EXPECT_EQ(floor_div(6 * kN + 3, 4), floor_div(3 * kN + 1, 2));
  EXPECT_EQ(floor_div(kN, -2), floor_div(-kN, 2));
  EXPECT_EQ(floor_div(kN, 1), kN);
  EXPECT_EQ(ceil_div(kN, 8), floor_div(kN + 7, 8));
  EXPECT_EQ(ceil_div(8 * kN, 8), kN);
  EXPECT_EQ(mod(6 * kN, 3), Expr(0));
  EXPECT_EQ(mod(6 * kN + 4, 3), Expr(1));
}

TEST(Expr, FloorOfFloorIsOneFloor) {
  EXPECT_EQ(floor_div(floor_div(kN, 2), 3), floor_div(kN, 6));
  EXPECT_EQ(floor_div(floor_div(kN + 1, 2) + 1, 2), floor_div(kN + 3, 4));
  EXPECT_EQ(floor_div(floor_div(kN, 2) + kM, 3), floor_div(kN + 2 * kM, 6));
  EXPECT_EQ(floor_div(2 * floor_div(kN, 2) + 1, 4), floor_div(kN, 4));
  // The combined divisor would overflow, so both floors stay.
  const Expr deep = floor_div(floor_div(kN, std::int64_t{1} << 40), std::int64_t{1} << 40);
  EXPECT_EQ(deep.text(), "⌊⌊N/1099511627776⌋/1099511627776⌋");
}

TEST(Expr, ResNetOnAnyHeightHasOneFloor) {
  Expr height = window(kH, 7, 2, 3);
  height = window(height, 3, 2, 1);
  height = window(height, 3, 1, 1);
  for (int stage = 0; stage < 3; ++stage) height = window(height, 3, 2, 1);
  EXPECT_EQ(height.text(), "⌊(H + 31)/32⌋");
  EXPECT_EQ(height.substitute([](auto) { return Expr(224); }), Expr(7));
}

TEST(Expr, DividesByFormulas) {
  EXPECT_EQ(floor_div(64 * kN * kS, 64 * kN), kS);
  EXPECT_EQ(floor_div(kN * kN - 1, kN + 1), kN - 1);
  EXPECT_EQ(floor_div(0, kN), Expr(0));
  EXPECT_EQ(floor_div(kS, kN).text(), "⌊S/N⌋");
  EXPECT_EQ(ceil_div(kS * kN, kN), kS);
  EXPECT_EQ(mod(kS * kN, kS), Expr(0));
}

TEST(Expr, ExactDivision) {
  EXPECT_EQ(exact_div(kN * kS * 64, kN * 64), kS);
  EXPECT_EQ(exact_div(kN * kS * 64, 128), std::nullopt);
  EXPECT_EQ(exact_div(kN, kS), std::nullopt);
  EXPECT_EQ(exact_div(12, 4), Expr(3));
  EXPECT_EQ(exact_div(12, 5), std::nullopt);
  EXPECT_EQ(exact_div(0, kN), Expr(0));
  EXPECT_EQ(exact_div(kN * kN + kN, kN + 1), kN);
  EXPECT_EQ(exact_div(kN * kN + kN + 1, kN + 1), std::nullopt);
  EXPECT_EQ(exact_div(kN * kN * kN - kM * kM * kM, kN - kM), kN * kN + kN * kM + kM * kM);
  EXPECT_EQ(exact_div(kN, Expr::unknown()), std::nullopt);
}

TEST(Expr, MinAndMaxAreDecidedWherePossible) {
  EXPECT_EQ(min(3, 5), Expr(3));
  EXPECT_EQ(max(3, 5), Expr(5));
  EXPECT_EQ(max(kN, 1), kN);
  EXPECT_EQ(max(0, kN - 1), kN - 1);
  EXPECT_EQ(min(kN, 1), Expr(1));
  EXPECT_EQ(max(kN, kN + kM), kN + kM);
  EXPECT_EQ(min(min(kN, 5), 5), min(5, kN));
  EXPECT_EQ(floor_div(min(kN, 3), 4), Expr(0));
  EXPECT_EQ(max(kN, 2).text(), "max(N, 2)");
  EXPECT_EQ(min(kN - 1, 1).text(), "min(N - 1, 1)");
  EXPECT_EQ(max(kN, kM).text(), "max(M, N)");
  EXPECT_EQ(min(7, kN).text(), "min(N, 7)");
}

TEST(Expr, ProvesLowerBounds) {
  EXPECT_TRUE(provably_at_least(5, 5));
  EXPECT_FALSE(provably_at_least(5, 6));
  EXPECT_TRUE(provably_at_least(kN - 1, 0));
  EXPECT_FALSE(provably_at_least(kN - 2, 0));
  EXPECT_FALSE(provably_at_least(-kN, -100));
  EXPECT_TRUE(provably_at_least(3 * kN * kS + 2 * kN, 5));
  EXPECT_TRUE(provably_at_least(floor_div(kH + 1, 2), 1));
  EXPECT_TRUE(provably_at_least(floor_div(kN, kS), 0));
  EXPECT_TRUE(provably_at_least(5 - min(kN, 5), 0));
  EXPECT_TRUE(provably_at_least(max(kN - kM, 2) * kS, 2));
  EXPECT_TRUE(provably_at_least(floor_div(kN - 9, 2), -4));
  EXPECT_FALSE(provably_at_least(kN - kM, 0));
  EXPECT_FALSE(provably_at_least(Expr::unknown(), 0));
  EXPECT_FALSE(provably_at_least(Expr::overflow(), 0));
}

TEST(Expr, UpperBoundsHoldForEverySize) {
  const Expr kept = min(Expr::symbol("boxes"), 1000);
  EXPECT_EQ(upper_bound(Expr(-3)), -3);
  EXPECT_EQ(upper_bound(kept), 1000);
  EXPECT_EQ(upper_bound(kept * 256 * 49 + 7), 12544007);
  EXPECT_EQ(upper_bound(kept * kept), 1000000);
  EXPECT_EQ(upper_bound(max(kept, 1)), 1000);
  EXPECT_EQ(upper_bound(ceil_div(kept, 3)), 334);
  EXPECT_EQ(upper_bound(floor_div(kept * 4, 3)), 1333);
  EXPECT_EQ(upper_bound(10 - kN), 10) << "N may be 0";
  EXPECT_EQ(upper_bound(1000 - kept), 1000);
  EXPECT_EQ(upper_bound(kN), std::nullopt);
  EXPECT_EQ(upper_bound(kept * kN), std::nullopt);
  EXPECT_EQ(upper_bound(max(kN, 5)), std::nullopt);
  EXPECT_EQ(upper_bound(floor_div(kept, kN)), std::nullopt) << "N may be 0";
  EXPECT_EQ(upper_bound(Expr::unknown()), std::nullopt);
  EXPECT_EQ(upper_bound(Expr::overflow()), std::nullopt);
  EXPECT_EQ(upper_bound(kept * (Expr::kMaxNumber / 2)), std::nullopt) << "beyond all numbers";
}

TEST(Expr, TextIsReadBack) {
  const Expr odd = Expr::symbol("batch - size (1)");
  const std::string names[] = {"batch", "batch - size (1)", "batch - step"};
  for (const Expr& expr :
       {Expr(0), Expr(-7), kN, -kN, 3 * kN * kS * kS - kH + 1, floor_div(kH + 1, 2),
        floor_div(3 * kN, kS * kS), floor_div(kN, kS + 1) * 4, min(kN, 1000) * max(kS, kH - 3),
        floor_div(odd, 2) * 64 + odd}) {
    EXPECT_EQ(expr_from_text(expr.text(), names), expr) << expr.text();
  }
  for (const char* text : {"", "?", "overflow!", "N +", "N + ", "min(N", "min(N, )", "⌊N/0⌋", "⌊N⌋",
                           "N^1", "N^999", "N^", "99999999999999999999", "3N·", "(N)"}) {
    EXPECT_EQ(expr_from_text(text, {}), std::nullopt) << text;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "min(";
  EXPECT_EQ(expr_from_text(deep, {}), std::nullopt);
  EXPECT_EQ(expr_from_text(deep.substr(0, 40000), {}), std::nullopt);
}

TEST(Expr, Text) {
  EXPECT_EQ(Expr(-12).text(), "-12");
  EXPECT_EQ(Expr(0).text(), "0");
  EXPECT_EQ(Expr::unknown().text(), "?");
  EXPECT_EQ(Expr::overflow().text(), "overflow");
  EXPECT_EQ((300774272 * kN).text(), "300774272·N");
  EXPECT_EQ((kS * kN + 1).text(), "N·S + 1");
  EXPECT_EQ((kS * kS * kN * 64).text(), "64·N·S^2");
  EXPECT_EQ((3 - kN).text(), "-N + 3");
  EXPECT_EQ((kN - 2 * kM - 1).text(), "-2·M + N - 1");
  EXPECT_EQ((1 + kM + kS * kS * kS + kN * kM).text(), "S^3 + M·N + M + 1");
  EXPECT_EQ(floor_div(kH + 1, 2).text(), "⌊(H + 1)/2⌋");
  EXPECT_EQ((floor_div(3 * kH, 2) * kN + 1).text(), "N·⌊3·H/2⌋ + 1");
  EXPECT_EQ(floor_div(kH, 2 * kN).text(), "⌊H/(2·N)⌋");
  EXPECT_EQ(floor_div(kH, kN + 1).text(), "⌊H/(N + 1)⌋");
  EXPECT_EQ((max(kN, kM) * max(kN, kM)).text(), "max(M, N)^2");
  EXPECT_EQ((floor_div(kS, 2) * floor_div(kH, 2)).text(), "⌊H/2⌋·⌊S/2⌋");
}

TEST(Expr, Terms) {
  const auto terms = (7 + 64 * kN * kS * kS - kN).terms();
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].coefficient, 64);
  EXPECT_EQ(terms[0].product, "N·S^2");
  EXPECT_EQ(terms[1].coefficient, -1);
  EXPECT_EQ(terms[1].product, "N");
  EXPECT_EQ(terms[2].coefficient, 7);
  EXPECT_EQ(terms[2].product, "");
  EXPECT_EQ(Expr(0).terms().size(), 1u);
  EXPECT_TRUE(Expr::unknown().terms().empty());
}

TEST(Expr, SubstituteAndSymbols) {
  const Expr formula = max(kN * kN * 3, floor_div(kS, 2)) + kM;
  EXPECT_EQ(formula.symbols(), (std::vector<std::string>{"M", "N", "S"}));
  const auto n_is_m_plus_1 = [](std::string_view name) -> std::optional<Expr> {
    if (name == "N") return kM + 1;
    return std::nullopt;
  };
  EXPECT_EQ((kN * kN).substitute(n_is_m_plus_1), kM * kM + 2 * kM + 1);
  EXPECT_EQ(formula.substitute([](auto) { return std::nullopt; }), formula);
  EXPECT_EQ(formula.substitute([](auto) { return Expr(4); }), Expr(52));
  EXPECT_EQ(formula.evaluate([](auto) { return 4.0; }), 52.0);
  EXPECT_EQ(formula.evaluate([](auto) { return std::nullopt; }), std::nullopt);
  EXPECT_EQ(floor_div(kS, kN - 1).evaluate([](auto) { return 1.0; }), std::nullopt);
  EXPECT_TRUE(floor_div(kS, kN - 1).substitute([](auto) { return Expr(1); }).is_unknown());
  EXPECT_TRUE((kN * kS).substitute([](auto) { return Expr::unknown(); }).is_unknown());
}

TEST(Expr, CopiesAndMovesKeepTheFormula) {
  Expr a = kN + 1;
  Expr b = a;
  const Expr c = std::move(a);
  b = b * 2;
  b = static_cast<const Expr&>(b);
  EXPECT_EQ(c, kN + 1);
  EXPECT_EQ(b, 2 * kN + 2);
}

TEST(Expr, TooManyTermsAreUnknown) {
  Expr sum;
  for (int i = 0; i < 256; ++i) sum += Expr::symbol("s" + std::to_string(i));
  EXPECT_TRUE(sum.is_formula());
  EXPECT_TRUE((sum + 1).is_unknown());
  EXPECT_TRUE((sum * sum).is_unknown());
  EXPECT_FALSE((sum * sum).is_overflow());
}

TEST(Expr, TooDeepIsUnknown) {
  Expr deep = kN;
  int levels = 0;
  for (; deep.is_formula(); ++levels) deep = floor_div(deep * deep, 3);
  EXPECT_TRUE(deep.is_unknown());
  EXPECT_EQ(levels, 65);
}

// A formula whose parts are shared has few nodes in memory, but when written out it has twice as
// many at each level.
TEST(Expr, TooLongToWriteOutIsUnknown) {
  Expr twice = kN;
  int levels = 0;
  for (; twice.is_formula(); ++levels) twice = floor_div(twice * twice + 2 * twice, 5);
  EXPECT_TRUE(twice.is_unknown());
  EXPECT_LT(levels, 16);
}

TEST(Expr, TooHighAPowerIsUnknown) {
  Expr power = kN;
  for (int i = 0; i < 6; ++i) power *= power;
  EXPECT_EQ(power.text(), "N^64");
  EXPECT_TRUE((power * kN).is_unknown());
}

TEST(Expr, ThreadsShareFormulas) {
  const Expr shared = floor_div(kN + 1, 2) * kM;
  std::vector<std::thread> threads(4);
  for (int t = 0; t < 4; ++t) {
    threads[static_cast<std::size_t>(t)] = std::thread([&shared, t] {
      for (int i = 0; i < 1000; ++i) {
        Expr copy = shared;
        copy += t;
        EXPECT_EQ(copy - t, shared);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace strata
