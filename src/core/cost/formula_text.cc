// Formulas as people read them, with names or with numbers.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cost/formula.h"

namespace strata {

namespace {

// The binding strength of a piece of text: pieces that bind less need parentheses.
enum Binding { kSum = 0, kProduct = 1, kWhole = 2 };

bool is_sum(std::string_view text) {
  return text.find(" + ") != text.npos || text.find(" - ") != text.npos;
}

}  // namespace

// A piece of text, and how strongly it binds.
struct Formula::Typeset {
  class Stack;

  std::string text;
  Binding binding = kWhole;

  std::string inside(Binding around) const {
    return binding < around ? fmt::format("({})", text) : text;
  }

  static Typeset of(const Amount& amount) {
    std::string number = amount.text();
    const Binding strength = is_sum(number) ? kSum : kWhole;
    return {std::move(number), strength};
  }
  static Typeset of(std::string_view name) { return {std::string(name), kWhole}; }

  // The product of the steps from `first` to `last` for each size along an axis.
  static Typeset product(const Formula& formula, std::size_t first, std::size_t last,
                         const FormulaValues* values) {
    if (values == nullptr)
      return {"Π(" + formula.typeset(first, last, nullptr, nullptr).text + ")", kWhole};
    Typeset all{"", kProduct};
    for (const std::span<const Amount>& one : values->along_axis)
      all.text += (all.text.empty() ? "" : "·") +
                  formula.typeset(first, last, values, &one).inside(kProduct);
    if (all.text.empty()) all.text = "1";
    return all;
  }
};

// The pieces that no operator has taken yet.
class Formula::Typeset::Stack {
 public:
  void push(Typeset piece) { pieces_.push_back(std::move(piece)); }
  Typeset pop() {
    Typeset top = std::move(pieces_.back());
    pieces_.pop_back();
    return top;
  }
  // The right side of − and of a division is `strict`: it needs parentheses where the left side
  // does not.
  void binary(std::string_view sign, Binding own, bool strict) {
    const Typeset right = pop(), left = pop();
    const auto tighter = static_cast<Binding>(own + 1);
    push({left.inside(own) + std::string(sign) + right.inside(strict ? tighter : own), own});
  }
  void function(std::string_view name, std::size_t arguments) {
    std::vector<std::string> texts(arguments);
    for (std::size_t i = arguments; i-- > 0;) texts[i] = pop().text;
    push({fmt::format("{}({})", name, fmt::join(texts, ", ")), kWhole});
  }
  void floor_of_ratio() {
    const Typeset right = pop(), left = pop();
    push({fmt::format("⌊{}/{}⌋", left.inside(kProduct), right.inside(kWhole)), kWhole});
  }
  Typeset result() { return pieces_.empty() ? Typeset{"?", kWhole} : pop(); }

 private:
  std::vector<Typeset> pieces_;
};

std::string Formula::text() const { return typeset(nullptr); }
std::string Formula::filled_in(const FormulaValues& values) const { return typeset(&values); }

std::string Formula::typeset(const FormulaValues* values) const {
  return typeset(0, steps_.size(), values, nullptr).text;
}

Formula::Typeset Formula::typeset(std::size_t first, std::size_t last, const FormulaValues* values,
                                  const std::span<const Amount>* axis) const {
  Typeset::Stack stack;
  for (std::size_t at = first; at < last; ++at) {
    const Step step = steps_[at];
    switch (step.op) {
      case Op::Number:
        stack.push(Typeset::of(numbers_[step.arg]));
        break;
      case Op::Name:
        stack.push(values != nullptr ? Typeset::of(values->plain[step.arg])
                                     : Typeset::of(names_[step.arg]));
        break;
      case Op::AxisName:
        stack.push(axis != nullptr ? Typeset::of((*axis)[step.arg])
                                   : Typeset::of(axis_names_[step.arg]));
        break;
      case Op::Add:
        stack.binary(" + ", kSum, false);
        break;
      case Op::Sub:
        stack.binary(" − ", kSum, true);
        break;
      case Op::Mul:
        stack.binary("·", kProduct, false);
        break;
      case Op::Div:
        stack.binary("/", kProduct, true);
        break;
      case Op::FloorDiv:
        stack.floor_of_ratio();
        break;
      case Op::Minus:
        stack.push({"−" + stack.pop().inside(kProduct), kSum});
        break;
      case Op::Floor:
        stack.push({fmt::format("⌊{}⌋", stack.pop().text), kWhole});
        break;
      case Op::Ceil:
        stack.push({fmt::format("⌈{}⌉", stack.pop().text), kWhole});
        break;
      case Op::Min:
        stack.function("min", 2);
        break;
      case Op::Max:
        stack.function("max", 2);
        break;
      case Op::Rounded:
        stack.function("rounded", 2);
        break;
      case Op::Equal:
        stack.function("equal", 2);
        break;
      case Op::If:
        stack.function("if", 3);
        break;
      case Op::Each:
        stack.push(Typeset::product(*this, at + 1, at + 1 + step.arg, values));
        at += step.arg;
        break;
    }
  }
  return stack.result();
}

std::vector<std::string_view> Formula::names() const {
  std::vector<std::string_view> found;
  for (const Step& step : steps_) {
    if (step.op != Op::Name && step.op != Op::AxisName) continue;
    const std::string_view name = (step.op == Op::Name ? names_ : axis_names_)[step.arg];
    if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
  }
  return found;
}

}  // namespace strata
