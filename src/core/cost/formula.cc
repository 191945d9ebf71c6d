#include "cost/formula.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strata/base/inline_vector.h"

namespace strata {

namespace {

constexpr bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Amount equal(const Amount& a, const Amount& b) {
  if (a == b) return 1;
  const Amount difference = a - b;
  return difference.above().is_number() ? Amount(0) : Amount::unknown();
}

Amount choose(const Amount& condition, const Amount& yes, const Amount& no) {
  if (condition.above().is_number()) return condition.is(0) ? no : yes;
  return yes == no ? yes : Amount::unknown();
}

Amount smaller(const Amount& a, const Amount& b) {
  return Amount::ratio(min(a.above() * b.below(), b.above() * a.below()), a.below() * b.below());
}
Amount larger(const Amount& a, const Amount& b) {
  return Amount::ratio(max(a.above() * b.below(), b.above() * a.below()), a.below() * b.below());
}

// Rounds like C's %.Ne: half a digit goes to the even neighbour.
Amount rounded(const Amount& amount, const Amount& digits) {
  constexpr std::int64_t kMostDigits = 18;
  if (!amount.is_whole() || !amount.above().is_number() || !digits.is_whole() ||
      !digits.above().is_number())
    return Amount::unknown();
  const std::int64_t number = amount.above().value(), wanted = digits.above().value();
  if (number < 0 || wanted < 1 || wanted > kMostDigits) return Amount::unknown();
  std::int64_t limit = 1;
  for (std::int64_t i = 0; i < wanted; ++i) limit *= 10;
  std::int64_t step = 1;
  while (number / step >= limit) step *= 10;
  const std::int64_t below = number / step, rest = number % step;
  const bool up = rest > step - rest || (rest == step - rest && below % 2 == 1);
  return Amount(Expr(up ? below + 1 : below) * step);
}

}  // namespace

class Formula::Parser {
 public:
  Parser(std::string_view text, const FormulaNames& names) : text_(text), names_(names) {}

  Result<Formula> parse() {
    formula_.names_.assign(names_.plain.begin(), names_.plain.end());
    formula_.axis_names_.assign(names_.along_axis.begin(), names_.along_axis.end());
    if (sum(0) && (skip_spaces(), at_ < text_.size())) fail("a sign is missing before this");
    if (formula_.steps_.size() > kMaxFormulaSteps) fail("this is too long");
    if (!problem_.empty())
      return failure(
          fmt::format("formula \"{}\", column {}: {}", text_, problem_at_ + 1, problem_));
    return std::move(formula_);
  }

 private:
  struct Function {
    std::string_view name;
    Op op;
    int arguments;
  };
  static constexpr std::array<Function, 7> kFunctions = {{
      {"floor", Op::Floor, 1},
      {"ceil", Op::Ceil, 1},
      {"min", Op::Min, 2},
      {"max", Op::Max, 2},
      {"rounded", Op::Rounded, 2},
      {"equal", Op::Equal, 2},
      {"if", Op::If, 3},
  }};

  // Each of these returns false after the first error.
  bool fail(std::string what) {
    if (problem_.empty()) problem_ = std::move(what), problem_at_ = at_;
    return false;
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(std::string_view sign) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  bool expect(std::string_view sign) {
    return take(sign) || fail(fmt::format("'{}' is missing", sign));
  }
  void emit(Op op, std::size_t arg = 0) {
    if (formula_.steps_.size() <= kMaxFormulaSteps)
      formula_.steps_.push_back({op, static_cast<std::uint16_t>(arg)});
  }

  bool sum(std::size_t depth) {
    if (depth > kMaxFormulaDepth) return fail("this is nested too deep");
    if (!product(depth)) return false;
    while (true) {
      const bool plus = take("+");
      if (!plus && !take("-")) return true;
      if (!product(depth)) return false;
      emit(plus ? Op::Add : Op::Sub);
    }
  }

  bool product(std::size_t depth) {
    if (!factor(depth)) return false;
    while (true) {
      Op op = Op::Mul;
      if (take("//"))
        op = Op::FloorDiv;
      else if (take("/"))
        op = Op::Div;
      else if (!take("*"))
        return true;
      if (!factor(depth)) return false;
      emit(op);
    }
  }

  bool factor(std::size_t depth) {
    if (depth > kMaxFormulaDepth) return fail("this is nested too deep");
    skip_spaces();
    if (at_ == text_.size()) return fail("a number or a name is missing at the end");
    if (take("-")) {
      if (!factor(depth + 1)) return false;
      emit(Op::Minus);
      return true;
    }
    if (take("(")) return sum(depth + 1) && expect(")");
    if (is_digit(text_[at_])) return number();
    if (is_letter(text_[at_])) return name(depth);
    return fail(
        fmt::format("'{}' is neither a number, a name nor a sign of a formula", text_[at_]));
  }

  std::string_view word(bool (*belongs)(char)) {
    std::size_t end = at_;
    while (end < text_.size() && belongs(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool number() {
    const std::string_view digits = word([](char c) { return is_digit(c); });
    const auto value = Amount::from_decimal(digits);
    if (!value) return fail(fmt::format("{} is not a number, or has too many digits", digits));
    at_ += digits.size();
    emit(Op::Number, formula_.numbers_.size());
    formula_.numbers_.push_back(*value);
    return true;
  }

  bool name(std::size_t depth) {
    const std::string_view found = word([](char c) { return is_letter(c) || is_digit(c); });
    const std::size_t start = at_;
    const auto place = [&](std::span<const std::string_view> names) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), found) - names.begin());
    };
    at_ += found.size();
    if (found == "each") return each(depth, start);
    for (const Function& function : kFunctions)
      if (function.name == found) return call(function, depth);
    if (const std::size_t i = place(names_.plain); i < names_.plain.size())
      return emit(Op::Name, i), true;
    const std::size_t i = place(names_.along_axis);
    if (i < names_.along_axis.size() && inside_each_) return emit(Op::AxisName, i), true;
    at_ = start;
    if (i < names_.along_axis.size())
      return fail(fmt::format("{} differs from axis to axis and can only stand in each(…)", found));
    return fail(fmt::format(
        "there is no name {}; the names are {}{}{}", found, fmt::join(names_.plain, ", "),
        names_.along_axis.empty() ? "" : ", and in each(…) ", fmt::join(names_.along_axis, ", ")));
  }

  bool call(const Function& function, std::size_t depth) {
    if (!expect("(")) return false;
    for (int i = 0; i < function.arguments; ++i)
      if ((i > 0 && !expect(",")) || !sum(depth + 1)) return false;
    if (!expect(")")) return false;
    emit(function.op);
    return true;
  }

  bool each(std::size_t depth, std::size_t start) {
    if (inside_each_ || names_.along_axis.empty()) {
      at_ = start;
      return fail(inside_each_ ? "each(…) cannot stand inside each(…)"
                               : "there is no each(…) here");
    }
    if (!expect("(")) return false;
    const std::size_t head = formula_.steps_.size();
    emit(Op::Each);
    inside_each_ = true;
    if (!sum(depth + 1) || !expect(")")) return false;
    inside_each_ = false;
    if (formula_.steps_.size() <= kMaxFormulaSteps)
      formula_.steps_[head].arg = static_cast<std::uint16_t>(formula_.steps_.size() - head - 1);
    return true;
  }

  std::string_view text_;
  FormulaNames names_;
  std::size_t at_ = 0;
  bool inside_each_ = false;
  std::string problem_;
  std::size_t problem_at_ = 0;
  Formula formula_;
};

Result<Formula> Formula::parse(std::string_view text, const FormulaNames& names) {
  return Parser(text, names).parse();
}

Formula Formula::zero() {
  Formula formula;
  formula.numbers_.push_back(0);
  formula.steps_.push_back({Op::Number, 0});
  return formula;
}

bool Formula::is_zero() const {
  return steps_.size() == 1 && steps_[0].op == Op::Number && numbers_[steps_[0].arg].is(0);
}

Amount Formula::evaluate(const FormulaValues& values) const {
  return run(0, steps_.size(), values, {});
}

Amount Formula::run(std::size_t first, std::size_t last, const FormulaValues& values,
                    std::span<const Amount> axis) const {
  InlineVector<Amount, 8> stack;
  for (std::size_t at = first; at < last; ++at) {
    const Step step = steps_[at];
    const auto top = [&](std::size_t back) -> Amount& { return stack[stack.size() - 1 - back]; };
    const auto pop_into = [&](std::size_t operands, Amount value) {
      stack.resize(stack.size() - operands);
      stack.push_back(std::move(value));
    };
    switch (step.op) {
      case Op::Number:
        stack.push_back(numbers_[step.arg]);
        break;
      case Op::Name:
        stack.push_back(values.plain[step.arg]);
        break;
      case Op::AxisName:
        stack.push_back(axis[step.arg]);
        break;
      case Op::Add:
        pop_into(2, top(1) + top(0));
        break;
      case Op::Sub:
        pop_into(2, top(1) - top(0));
        break;
      case Op::Mul:
        pop_into(2, top(1) * top(0));
        break;
      case Op::Div:
        pop_into(2, top(1) / top(0));
        break;
      case Op::FloorDiv:
        pop_into(2, floor_quotient(top(1), top(0)));
        break;
      case Op::Minus:
        pop_into(1, Amount(0) - top(0));
        break;
      case Op::Floor:
        pop_into(1, top(0).floor());
        break;
      case Op::Ceil:
        pop_into(1, top(0).ceil());
        break;
      case Op::Min:
        pop_into(2, smaller(top(1), top(0)));
        break;
      case Op::Max:
        pop_into(2, larger(top(1), top(0)));
        break;
      case Op::Rounded:
        pop_into(2, rounded(top(1), top(0)));
        break;
      case Op::Equal:
        pop_into(2, equal(top(1), top(0)));
        break;
      case Op::If:
        pop_into(3, choose(top(2), top(1), top(0)));
        break;
      case Op::Each: {
        Amount product = 1;
        for (const std::span<const Amount> one : values.along_axis)
          product = product * run(at + 1, at + 1 + step.arg, values, one);
        stack.push_back(std::move(product));
        at += step.arg;
        break;
      }
    }
  }
  return stack.empty() ? Amount::unknown() : std::move(stack.back());
}

}  // namespace strata
