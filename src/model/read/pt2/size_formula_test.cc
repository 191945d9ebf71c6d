#include "read/pt2/size_formula.h"

#include <string>

#include <gtest/gtest.h>

namespace strata::pt2 {
namespace {

struct Case {
  std::string text;
  double value;  // at s0 = 7 and s1 = 3
};

std::string s(int number) {
  return "Symbol('s" + std::to_string(number) + "', positive=True, integer=True)";
}

// The texts are what sympy.srepr prints of PyTorch's functions, and the values what sympy itself
// computes for them (sympy 1.14 and PyTorch 2.13).
TEST(SizeFormula, ValuesAreThoseOfSympy) {
  const Case cases[] = {
      {"Add(" + s(0) + ", Integer(1))", 8},
      {"Add(Mul(Integer(2), " + s(0) + "), Mul(Integer(-1), Integer(3), " + s(1) + "))", 5},
      {"Pow(" + s(0) + ", Integer(2))", 49},
      {"Mul(Integer(4), " + s(0) + ", " + s(1) + ")", 84},
      {"FloorDiv(" + s(0) + ", Integer(2))", 3},
      {"Add(FloorDiv(Add(" + s(0) + ", Integer(-1)), Integer(2)), Integer(1))", 4},
      {"CeilToInt(IntTrueDiv(" + s(0) + ", " + s(1) + "))", 3},
      {"Mod(" + s(0) + ", " + s(1) + ")", 1},
      {"PythonMod(" + s(0) + ", Integer(4))", 3},
      {"Max(Integer(1), " + s(0) + ", " + s(1) + ")", 7},
      {"Min(Integer(3), " + s(0) + ")", 3},
      {"TruncToInt(IntTrueDiv(" + s(0) + ", Integer(3)))", 2},
      {"FloorToInt(Mul(Float('0.5', precision=53), ToFloat(" + s(0) + ")))", 3},
      {"ModularIndexing(" + s(0) + ", Integer(2), Integer(3))", 0},
      {"Identity(" + s(0) + ")", 7},
      {"floor(Mul(Rational(1, 2), " + s(0) + "))", 3},
      {"ceiling(Mul(Rational(1, 2), " + s(0) + "))", 4},
      {"Add(Integer(10), Mul(Integer(-1), " + s(0) + "))", 3},
      {"TruncToInt(FloatTrueDiv(ToFloat(" + s(0) + "), Float('2.0', precision=53)))", 3},
      {"FloorDiv(Pow(" + s(0) + ", Integer(2)), " + s(1) + ")", 16},
      {"s0 + 1", 8},
      {"2*s0 - 3*s1", 5},
      {"s0**2 - 1", 48},
      {"(((s0 - 1)//2)) + 1", 4},
      {"Max(s0, s1)", 7},
      {"Mod(s0, s1)", 1},
      {"-s0 + 10", 3},
      {"s0 % 4", 3},
      {"Integer(12)", 12},
  };
  for (const Case& one : cases) {
    const Expr size = size_formula(one.text);
    const auto value = size.evaluate(
        [](std::string_view name) -> std::optional<double> { return name == "s0" ? 7 : 3; });
    EXPECT_EQ(value, one.value) << one.text << " is " << size.text();
  }
}

TEST(SizeFormula, FormsAreThoseOfExpr) {
  EXPECT_EQ(size_formula("Symbol('u0', integer=True)").text(), "u0");
  EXPECT_EQ(size_formula("Mul(Rational(1, 2), Mul(Integer(4), " + s(0) + "))").text(), "2·s0");
  EXPECT_EQ(size_formula("Mul(" + s(0) + ", Pow(" + s(0) + ", Integer(-1)))").text(), "1");
}

TEST(SizeFormula, WhatCannotBeExpressedIsUnknown) {
  for (const std::string& text : {
           std::string("Mul(Rational(1, 2), Symbol('s0'))"),  // a half of what may be odd
           std::string("Where(Equality(Symbol('s0'), Integer(1)), Integer(2), Integer(3))"),
           std::string("Pow(Symbol('s0'), Symbol('s1'))"),
           std::string("Pow(Integer(2), Integer(100000))"),
           std::string("FloorDiv(Symbol('s0'), Integer(0))"),
           std::string("TruncToInt(IntTrueDiv(Add(Symbol('s0'), Integer(-9)), Integer(3)))"),
           std::string("Float('0.1', precision=53)"),
           std::string("Integer(123456789012345678901234567890)"),
           std::string(""),
           std::string("Add("),
           std::string("Add(Integer(1), "),
           std::string("Symbol('s0'"),
           std::string("Symbol('s0', x)"),
           std::string("s0 s1"),
           std::string("f()"),
           std::string("1 +"),
           std::string(")"),
           std::string("--------------------------------------------------------------------"
                       "--------------------------------------------------------------s0"),
       })
    EXPECT_TRUE(size_formula(text).is_unknown()) << text;
}

TEST(SizeFormula, DepthAndLengthAreBounded) {
  const auto sum = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += "Add(";
    text += "s0";
    for (int i = 0; i < depth; ++i) text += ", Integer(1))";
    return text;
  };
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "Add(";
  EXPECT_TRUE(size_formula(deep).is_unknown());
  EXPECT_TRUE(size_formula(std::string(1'000'000, '(')).is_unknown());
  EXPECT_EQ(size_formula(sum(30)).text(), "s0 + 30");
  EXPECT_TRUE(size_formula(sum(90)).is_unknown());
}

}  // namespace
}  // namespace strata::pt2
