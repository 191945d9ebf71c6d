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

struct Formula::Typeset {
  std::string text;
  Binding binding = kWhole;

  std::string inside(Binding around) const {
    return binding < around ? fmt::format("({})", text) : text;
  }
};

std::string Formula::text() const { return typeset(nullptr); }
std::string Formula::filled_in(const FormulaValues& values) const { return typeset(&values); }

std::string Formula::typeset(const FormulaValues* values) const {
  return typeset(0, steps_.size(), values, nullptr).text;
}

Formula::Typeset Formula::typeset(std::size_t first, std::size_t last, const FormulaValues* values,
                                  const std::span<const Amount>* axis) const {
  std::vector<Typeset> stack;
  const auto number = [](const Amount& amount) {
    std::string text = amount.text();
    const Binding binding = is_sum(text) ? kSum : kWhole;
    return Typeset{std::move(text), binding};
  };
  for (std::size_t at = first; at < last; ++at) {
    const Step step = steps_[at];
    const auto pop = [&] {
      Typeset top = std::move(stack.back());
      stack.pop_back();
      return top;
    };
    // The right side of − and of a division needs parentheses where the left side does not.
    const auto binary = [&](std::string_view sign, Binding own, bool strict) {
      const Typeset right = pop(), left = pop();
      const auto tighter = static_cast<Binding>(own + 1);
      stack.push_back(
          {left.inside(own) + std::string(sign) + right.inside(strict ? tighter : own), own});
    };
    const auto function = [&](std::string_view name, std::size_t arguments) {
      std::vector<std::string> texts(arguments);
      for (std::size_t i = arguments; i-- > 0;) texts[i] = pop().text;
      stack.push_back({fmt::format("{}({})", name, fmt::join(texts, ", ")), kWhole});
    };
    switch (step.op) {
      case Op::Number:
        stack.push_back(number(numbers_[step.arg]));
        break;
      case Op::Name:
        stack.push_back(values != nullptr ? number(values->plain[step.arg])
                                          : Typeset{std::string(names_[step.arg]), kWhole});
        break;
      case Op::AxisName:
        stack.push_back(axis != nullptr ? number((*axis)[step.arg])
                                        : Typeset{std::string(axis_names_[step.arg]), kWhole});
        break;
      case Op::Add:
        binary(" + ", kSum, false);
        break;
      case Op::Sub:
        binary(" − ", kSum, true);
        break;
      case Op::Mul:
        binary("·", kProduct, false);
        break;
      case Op::Div:
        binary("/", kProduct, true);
        break;
      case Op::FloorDiv: {
        const Typeset right = pop(), left = pop();
        stack.push_back(
            {fmt::format("⌊{}/{}⌋", left.inside(kProduct), right.inside(kWhole)), kWhole});
        break;
      }
      case Op::Minus: {
        const Typeset operand = pop();
        stack.push_back({"−" + operand.inside(kProduct), kSum});
        break;
      }
      case Op::Floor:
        stack.push_back({fmt::format("⌊{}⌋", pop().text), kWhole});
        break;
      case Op::Ceil:
        stack.push_back({fmt::format("⌈{}⌉", pop().text), kWhole});
        break;
      case Op::Min:
        function("min", 2);
        break;
      case Op::Max:
        function("max", 2);
        break;
      case Op::Rounded:
        function("rounded", 2);
        break;
      case Op::Equal:
        function("equal", 2);
        break;
      case Op::If:
        function("if", 3);
        break;
      case Op::Each: {
        Typeset product;
        if (values == nullptr) {
          product = {"Π(" + typeset(at + 1, at + 1 + step.arg, nullptr, nullptr).text + ")",
                     kWhole};
        } else {
          for (const std::span<const Amount>& one : values->along_axis) {
            const Typeset factor = typeset(at + 1, at + 1 + step.arg, values, &one);
            product.text += (product.text.empty() ? "" : "·") + factor.inside(kProduct);
          }
          if (product.text.empty()) product.text = "1";
          product.binding = kProduct;
        }
        stack.push_back(std::move(product));
        at += step.arg;
        break;
      }
    }
  }
  return stack.empty() ? Typeset{"?", kWhole} : std::move(stack.back());
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
