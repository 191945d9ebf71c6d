// Laws that hold for every expression, tried on random ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "strata/base/expr.h"

namespace strata {
namespace {

constexpr int kSymbols = 3;
using Sizes = std::array<std::int64_t, kSymbols>;

// A random expression in postfix: bytes that push a number or a symbol, or apply an operator to the
// two on top; what is left on the stack is added up. Any sequence of bytes is valid, so rapidcheck
// can shrink it.
struct Program {
  std::vector<std::uint8_t> bytes;
};

enum class Op { Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
constexpr const char* kOpNames[] = {"+", "-", "*", "fdiv", "cdiv", "mod", "min", "max"};

template <class T, class Number, class Symbol, class Apply>
T run(const Program& program, Number number, Symbol symbol, Apply apply) {
  std::vector<T> stack;
  const auto apply_to_top = [&](Op op) {
    T right = std::move(stack.back());
    stack.pop_back();
    stack.back() = apply(op, stack.back(), right);
  };
  for (const std::uint8_t byte : program.bytes) {
    const int argument = byte / 4;
    if (byte % 4 == 0) {
      stack.push_back(symbol(argument % kSymbols));
    } else if (byte % 4 == 1) {
      stack.push_back(number(argument % 19 - 6));
    } else if (stack.size() > 1) {
      apply_to_top(static_cast<Op>(argument % 8));
    }
  }
  while (stack.size() > 1) apply_to_top(Op::Add);
  return stack.empty() ? number(1) : stack.back();
}

std::string name(int symbol) { return std::string(1, static_cast<char>('a' + symbol)); }

Expr apply(Op op, const Expr& a, const Expr& b) {
  switch (op) {
    case Op::Add:
      return a + b;
    case Op::Sub:
      return a - b;
    case Op::Mul:
      return a * b;
    case Op::FloorDiv:
      return floor_div(a, b);
    case Op::CeilDiv:
      return ceil_div(a, b);
    case Op::Mod:
      return mod(a, b);
    case Op::Min:
      return min(a, b);
    case Op::Max:
      return max(a, b);
  }
  return Expr::unknown();
}

Expr formula(const Program& program) {
  return run<Expr>(
      program, [](int number) { return Expr(number); },
      [](int symbol) { return Expr::symbol(name(symbol)); }, apply);
}

using Value = std::optional<std::int64_t>;

Value apply(Op op, Value a, Value b) {
  if (!a || !b) return std::nullopt;
  const std::int64_t x = *a;
  const std::int64_t y = *b;
  const bool divides = op == Op::FloorDiv || op == Op::CeilDiv || op == Op::Mod;
  if (divides && y == 0) return std::nullopt;
  const std::int64_t down = divides ? x / y - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0) : 0;
  std::int64_t out = 0;
  switch (op) {
    case Op::Add:
      return __builtin_add_overflow(x, y, &out) ? std::nullopt : Value(out);
    case Op::Sub:
      return __builtin_sub_overflow(x, y, &out) ? std::nullopt : Value(out);
    case Op::Mul:
      return __builtin_mul_overflow(x, y, &out) ? std::nullopt : Value(out);
    case Op::FloorDiv:
      return down;
    case Op::CeilDiv:
      return down * y == x ? down : down + 1;
    case Op::Mod:
      return x - y * down;
    case Op::Min:
      return std::min(x, y);
    case Op::Max:
      return std::max(x, y);
  }
  return std::nullopt;
}

// The value computed by plain arithmetic; nullopt for a division by 0.
Value value(const Program& program, const Sizes& sizes) {
  return run<Value>(
      program, [](int number) { return Value(number); },
      [&](int symbol) { return Value(sizes[static_cast<std::size_t>(symbol)]); },
      [](Op op, Value a, Value b) { return apply(op, a, b); });
}

Expr with_sizes(const Expr& expr, const Sizes& sizes) {
  return expr.substitute([&](std::string_view symbol) -> std::optional<Expr> {
    return Expr(sizes[static_cast<std::size_t>(symbol[0] - 'a')]);
  });
}

// NOLINTNEXTLINE(readability-identifier-naming): rapidcheck calls it
void showValue(const Program& program, std::ostream& out) {
  out << run<std::string>(
      program, [](int number) { return std::to_string(number); }, name,
      [](Op op, const std::string& a, const std::string& b) {
        return "(" + a + " " + kOpNames[static_cast<int>(op)] + " " + b + ")";
      });
}

rc::Gen<Sizes> any_sizes() {
  return rc::gen::container<Sizes>(
      rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(1, 40)));
}

}  // namespace
}  // namespace strata

namespace rc {
template <>
struct Arbitrary<strata::Program> {
  static Gen<strata::Program> arbitrary() {
    // Without resize, small programs would contain only small bytes.
    const auto byte = gen::resize(kNominalSize, gen::arbitrary<std::uint8_t>());
    const auto bytes = gen::scale(0.3, gen::container<std::vector<std::uint8_t>>(byte));
    return gen::map(bytes, [](std::vector<std::uint8_t> program) {
      return strata::Program{std::move(program)};
    });
  }
};
}  // namespace rc

namespace strata {
namespace {

RC_GTEST_PROP(ExprLaws, CanonicalFormHasTheSameValue, (const Program& program)) {
  const Expr expr = formula(program);
  RC_LOG() << "canonical: " << expr.text() << "\n";
  for (int i = 0; i < 8; ++i) {
    const Sizes sizes = *any_sizes();
    const Value expected = value(program, sizes);
    if (!expected) continue;
    // Short programs stay far below every limit.
    if (expr.is_unknown() && program.bytes.size() > 16) continue;
    RC_ASSERT(with_sizes(expr, sizes).number() == expected);
  }
}

RC_GTEST_PROP(ExprLaws, EvaluatesToTheSameDouble, (const Program& program)) {
  const Expr expr = formula(program);
  const Sizes sizes = *any_sizes();
  const Value expected = value(program, sizes);
  RC_PRE(expected.has_value() && program.bytes.size() < 16 && !expr.is_unknown());
  RC_LOG() << "canonical: " << expr.text() << "\n";
  const auto actual = expr.evaluate([&](std::string_view symbol) -> std::optional<double> {
    return static_cast<double>(sizes[static_cast<std::size_t>(symbol[0] - 'a')]);
  });
  RC_ASSERT(actual == static_cast<double>(*expected));
}

RC_GTEST_PROP(ExprLaws, RingLawsGiveTheSameForm,
              (const Program& p, const Program& q, const Program& r)) {
  const Expr x = formula(p);
  const Expr y = formula(q);
  const Expr z = formula(r);
  RC_PRE(!x.is_unknown() && !y.is_unknown() && !z.is_unknown());
  RC_PRE(!(x * y * z).is_unknown() && !(x * y + y * z + x * z).is_unknown());
  RC_ASSERT(x + y == y + x);
  RC_ASSERT(x + (y + z) == (x + y) + z);
  RC_ASSERT(x * y == y * x);
  RC_ASSERT(x * (y * z) == (x * y) * z);
  RC_ASSERT(x * (y + z) == x * y + x * z);
  RC_ASSERT((x * (y + z)).hash() == (x * z + y * x).hash());
  RC_ASSERT(x - y == -(y - x));
  RC_ASSERT((x - x).is(0));
  RC_ASSERT(x + y - y == x);
}

RC_GTEST_PROP(ExprLaws, ExactDivisionUndoesMultiplication, (const Program& p, const Program& q)) {
  const Expr x = formula(p);
  const Expr y = formula(q);
  const Expr product = x * y;
  RC_PRE(!product.is_unknown() && !x.is_unknown() && !y.is_unknown() && !y.is(0));
  RC_ASSERT(exact_div(product, y) == x);
  RC_ASSERT(floor_div(product, y) == x);
  RC_ASSERT(ceil_div(product, y) == x);
  RC_ASSERT(mod(product, y) == Expr(0));
}

RC_GTEST_PROP(ExprLaws, ExactQuotientsAreQuotients, (const Program& p, const Program& q)) {
  const Expr x = formula(p);
  const Expr y = formula(q);
  const auto quotient = exact_div(x, y);
  RC_PRE(quotient.has_value());
  RC_ASSERT(*quotient * y == x);
}

RC_GTEST_PROP(ExprLaws, WholeStepsLeaveAFloor, (const Program& program)) {
  const Expr x = formula(program);
  RC_PRE(!x.is_unknown());
  const auto divisor = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto steps = *rc::gen::inRange<std::int64_t>(-20, 20);
  RC_ASSERT(floor_div(x + steps * divisor, divisor) == floor_div(x, divisor) + steps);
}

RC_GTEST_PROP(ExprLaws, ChainsOfWindowsHaveOneFloor, (const std::vector<std::uint8_t>& steps)) {
  const std::int64_t start = *rc::gen::inRange(1, 1000);
  Expr symbolic = Expr::symbol("H");
  Expr number = start;
  std::int64_t strides = 1;
  for (const std::uint8_t step : steps) {
    const int stride = 1 + step % 3;
    const int shift = step / 3 % 9 - 4;
    if ((strides *= stride) > (std::int64_t{1} << 50)) break;
    symbolic = floor_div(symbolic + shift, stride) + 1;
    number = floor_div(number + shift, stride) + 1;
  }
  RC_LOG() << "canonical: " << symbolic.text() << "\n";
  RC_ASSERT(symbolic.substitute([&](auto) { return Expr(start); }) == number);
  const std::string text = symbolic.text();
  RC_ASSERT(text.find("⌊") == text.rfind("⌊"));
}

RC_GTEST_PROP(ExprLaws, LowerBoundsNeverLie, (const Program& program)) {
  const Expr expr = formula(program);
  RC_PRE(!expr.is_unknown());
  RC_LOG() << "canonical: " << expr.text() << "\n";
  for (int i = 0; i < 8; ++i) {
    // Most bounds are reached where symbols are 1.
    const Sizes sizes = *rc::gen::oneOf(rc::gen::just(Sizes{1, 1, 1}), any_sizes());
    const Value actual = value(program, sizes);
    if (actual) RC_ASSERT(!provably_at_least(expr, *actual + 1));
  }
}

RC_GTEST_PROP(ExprLaws, UpperBoundsNeverLie, (const Program& program)) {
  const Expr expr = formula(program);
  const auto bound = upper_bound(expr);
  RC_PRE(bound.has_value());
  RC_LOG() << "canonical: " << expr.text() << " at most " << *bound << "\n";
  for (int i = 0; i < 8; ++i) {
    // Bounds are reached where symbols are 0 or large.
    const Sizes sizes =
        *rc::gen::container<Sizes>(rc::gen::element<std::int64_t>(0, 1, 2, 7, 9999));
    const auto actual = expr.evaluate([&](std::string_view symbol) -> std::optional<double> {
      return static_cast<double>(sizes[static_cast<std::size_t>(symbol[0] - 'a')]);
    });
    // Below this a double is exact; a division by 0 has no value.
    if (actual && std::abs(*actual) < 1e15) RC_ASSERT(*actual <= static_cast<double>(*bound));
  }
}

RC_GTEST_PROP(ExprLaws, TextIsReadBackAsTheSameForm, (const Program& program)) {
  const Expr expr = formula(program);
  RC_PRE(!expr.is_unknown());
  RC_LOG() << "canonical: " << expr.text() << "\n";
  RC_ASSERT(expr_from_text(expr.text(), {}) == expr);
}

RC_GTEST_PROP(ExprLaws, SubstitutionCommutesWithOperators, (const Program& program)) {
  const Expr expr = formula(program);
  const auto rename = [](std::string_view symbol) -> std::optional<Expr> {
    if (symbol == "a") return Expr::symbol("c") + 2;
    return std::nullopt;
  };
  RC_PRE(program.bytes.size() < 16 && !expr.is_unknown());
  const Expr renamed = expr.substitute(rename);
  RC_PRE(!renamed.is_unknown());
  const Sizes sizes = *any_sizes();
  const Value expected = value(program, {sizes[2] + 2, sizes[1], sizes[2]});
  if (expected) RC_ASSERT(with_sizes(renamed, sizes).number() == expected);
}

}  // namespace
}  // namespace strata
