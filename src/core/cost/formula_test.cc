#include "cost/formula.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::array<std::string_view, 4> kPlain = {"N", "O", "K", "b"};
constexpr std::array<std::string_view, 3> kAlongAxis = {"in", "kernel", "stride"};
constexpr FormulaNames kNames = {kPlain, kAlongAxis};

// N is a symbol, O 10, K 27, b 0; two axes: 224 and 10, windows 3 and 2, strides 2 and 4.
struct Layer {
  std::array<Amount, 4> plain = {Expr::symbol("N"), 10, 27, 0};
  std::array<Amount, 3> first = {224, 3, 2}, second = {10, 2, 4};
  std::array<std::span<const Amount>, 2> axes = {first, second};
  FormulaValues values() const { return {plain, axes}; }
};

std::string value_of(std::string_view text) {
  const auto formula = Formula::parse(text, kNames);
  if (!formula) return formula.error().message;
  const Layer layer;
  return formula->evaluate(layer.values()).text();
}

std::string typeset(std::string_view text) { return Formula::parse(text, kNames)->text(); }

std::string filled_in(std::string_view text) {
  const Layer layer;
  return Formula::parse(text, kNames)->filled_in(layer.values());
}

TEST(Formula, EvaluatesWithSymbols) {
  EXPECT_EQ(value_of("N*O*(2*K-1+b)"), "530·N");
  EXPECT_EQ(value_of("1 + 2*3 - 4"), "3");
  EXPECT_EQ(value_of("-O + 3"), "-7");
  EXPECT_EQ(value_of("2 - (3 - 4)"), "3");
  EXPECT_EQ(value_of("4.5*O"), "45");
}

TEST(Formula, FractionsAreExact) {
  EXPECT_EQ(value_of("O/4"), "2.5");
  EXPECT_EQ(value_of("O/4*4"), "10");
  EXPECT_EQ(value_of("N*O/4*2"), "5·N");
  EXPECT_EQ(value_of("O/3 + O/6"), "5");
  EXPECT_EQ(value_of("floor(O/4)"), "2");
  EXPECT_EQ(value_of("ceil(O/4)"), "3");
  EXPECT_EQ(value_of("O//4"), "2");
  EXPECT_EQ(value_of("0.1 + 0.2"), "0.3");
  EXPECT_EQ(value_of("O/b"), "?");
  EXPECT_EQ(value_of("1/N"), "?");
  EXPECT_EQ(value_of("N*K/N"), "27");
}

TEST(Formula, Functions) {
  EXPECT_EQ(value_of("min(O, K) + max(O, K)"), "37");
  EXPECT_EQ(value_of("min(O/4, 3)"), "2.5");
  EXPECT_EQ(value_of("if(b, O, K)"), "27");
  EXPECT_EQ(value_of("equal(O, 10) + equal(O, 11)"), "1");
  EXPECT_EQ(value_of("equal(N, 1)"), "?");
  EXPECT_EQ(value_of("rounded(123449, 4)"), "123400");
  EXPECT_EQ(value_of("rounded(123450, 4)"), "123400");  // half of a digit: to the even one
  EXPECT_EQ(value_of("rounded(123550, 4)"), "123600");
  EXPECT_EQ(value_of("rounded(123551, 4)"), "123600");
  EXPECT_EQ(value_of("rounded(99996, 4)"), "100000");
  EXPECT_EQ(value_of("rounded(O, 4) + rounded(0, 4)"), "10");
  EXPECT_EQ(value_of("rounded(N, 4)"), "?");
  EXPECT_EQ(value_of("rounded(O/4, 4)"), "?");
  EXPECT_EQ(value_of("rounded(O, 0)"), "?");
  EXPECT_EQ(typeset("rounded(2*O, 4)"), "rounded(2·O, 4)");
  EXPECT_EQ(value_of("if(equal(N, 1), 5, 5)"), "5");
}

TEST(Formula, EachIsAProductOverAxes) {
  EXPECT_EQ(value_of("each(kernel)"), "6");
  EXPECT_EQ(value_of("each((in - kernel)/stride + 1)"), "334.5");  // 111.5 · 3
  EXPECT_EQ(value_of("each((in - kernel)//stride + 1)"), "333");
}

TEST(Formula, ReadsAsMathematics) {
  EXPECT_EQ(typeset("N*O*(2*K-1+b)"), "N·O·(2·K − 1 + b)");
  EXPECT_EQ(typeset("(N*O)*((K))"), "N·O·K");
  EXPECT_EQ(typeset("N-(O-K)"), "N − (O − K)");
  EXPECT_EQ(typeset("N/(O*K)"), "N/(O·K)");
  EXPECT_EQ(typeset("floor(O/4)"), "⌊O/4⌋");
  EXPECT_EQ(typeset("(O+1)//4"), "⌊(O + 1)/4⌋");
  EXPECT_EQ(typeset("O*each(in-kernel)"), "O·Π(in − kernel)");
  EXPECT_EQ(filled_in("N*O*(2*K-1+b)"), "N·10·(2·27 − 1 + 0)");
  EXPECT_EQ(filled_in("O*each(in-kernel)"), "10·(224 − 3)·(10 − 2)");
  EXPECT_THAT(Formula::parse("N*O*(N-each(in))", kNames)->names(), ElementsAre("N", "O", "in"));
}

TEST(Formula, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(value_of("N*Q"),
            "formula \"N*Q\", column 3: there is no name Q; the names are N, O, K, b, and in "
            "each(…) in, kernel, stride");
  EXPECT_THAT(value_of("N*(O+1"), HasSubstr("column 7: ')' is missing"));
  EXPECT_THAT(value_of("N O"), HasSubstr("column 3: a sign is missing before this"));
  EXPECT_THAT(value_of("N*"), HasSubstr("column 3: a number or a name is missing at the end"));
  EXPECT_THAT(value_of(""), HasSubstr("missing at the end"));
  EXPECT_THAT(value_of("N ^ 2"), HasSubstr("a sign is missing"));
  EXPECT_THAT(value_of("kernel"), HasSubstr("can only stand in each(…)"));
  EXPECT_THAT(value_of("each(each(in))"), HasSubstr("cannot stand inside each(…)"));
  EXPECT_THAT(value_of("min(N)"), HasSubstr("',' is missing"));
  EXPECT_THAT(value_of("1.2.3"), HasSubstr("1.2.3 is not a number"));
  EXPECT_THAT(value_of("1234567890123456789012"), HasSubstr("too many digits"));
}

TEST(Formula, IsBounded) {
  EXPECT_THAT(value_of(std::string(10000, '(')), HasSubstr("nested too deep"));
  EXPECT_THAT(value_of(std::string(10000, '-') + "N"), HasSubstr("nested too deep"));
  std::string sum = "1";
  for (int i = 0; i < 10000; ++i) sum += "+1";
  EXPECT_THAT(value_of(sum), HasSubstr("too long"));
}

}  // namespace
}  // namespace strata
