#include "strata/base/number_text.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "base/fixed_text.h"
#include "base/poly.h"

namespace strata {

namespace {

// Four significant digits, with trailing zeros kept so that columns line up.
std::string significant(double number) {
  const double size = std::abs(number);
  return fixed_text(number, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3);
}

std::string with_prefix(double number, double base, const char* const* prefixes, int count) {
  int prefix = 0;
  // 999.95 would print as 1000.0 with the smaller prefix.
  while (prefix + 1 < count && std::abs(number) >= base * 0.99995) {
    number /= base;
    ++prefix;
  }
  if (prefix == 0 && number == std::floor(number))  // less than `base`
    return fmt::format_int(static_cast<std::int64_t>(number)).str() + prefixes[0];
  return significant(number) + prefixes[prefix];
}

constexpr const char* kDecimal[] = {"", " k", " M", " G", " T", " P", " E"};
constexpr const char* kBinary[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
constexpr const char* kJoules[] = {" pJ", " nJ", " µJ", " mJ", " J", " kJ", " MJ"};
constexpr const char* kSeconds[] = {" ps", " ns", " µs", " ms", " s"};

std::string coefficient_text(std::int64_t number, NumberStyle style, bool exact) {
  if (exact) return grouped(number);
  const auto real = static_cast<double>(number);
  switch (style) {
    case NumberStyle::Bytes:
      return human_bytes(real);
    case NumberStyle::Picojoules:
      return human_picojoules(real);
    case NumberStyle::Plain:
      break;
  }
  return human(real);
}

}  // namespace

std::string grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::size_t start = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > start + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string human(double number) { return with_prefix(number, 1000, kDecimal, 7); }
std::string human_bytes(double bytes) { return with_prefix(bytes, 1024, kBinary, 7); }
std::string human_picojoules(double pj) { return with_prefix(pj, 1000, kJoules, 7); }

std::string human_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 1) return significant(seconds) + " s";
  return with_prefix(seconds * 1e12, 1000, kSeconds, 5);
}

namespace {

// The operands of a maximum, those of its operands included; any other formula is one operand.
void add_operands(const Expr& expr, std::vector<Expr>& operands) {
  const detail::Terms terms(expr);
  const bool is_atom =
      terms.size() == 1 && terms[0].coefficient == 1 && terms[0].monomial.size() == 1;
  if (!is_atom || terms[0].monomial[0].power != 1 ||
      terms[0].monomial[0].atom->kind != detail::AtomKind::Max) {
    operands.push_back(expr);
    return;
  }
  add_operands(terms[0].monomial[0].atom->a, operands);
  add_operands(terms[0].monomial[0].atom->b, operands);
}

}  // namespace

std::string expr_text(const Expr& expr, NumberStyle style, bool exact) {
  if (expr.is_unknown()) return "?";
  if (expr.is_number()) return coefficient_text(expr.value(), style, exact);
  std::string text;
  std::vector<Expr> operands;
  add_operands(expr, operands);
  if (operands.size() > 1) {
    for (const Expr& one : operands)
      text += (text.empty() ? "max(" : ", ") + expr_text(one, style, exact);
    return text + ")";
  }
  for (const Expr::Term& term : expr.terms()) {
    const bool negative = term.coefficient < 0;
    const std::int64_t size = negative ? -term.coefficient : term.coefficient;
    if (text.empty())
      text += negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    const bool bare = size == 1 && style == NumberStyle::Plain && !term.product.empty();
    if (!bare) text += coefficient_text(size, style, exact);
    if (!bare && !term.product.empty()) text += "·";
    text += term.product;
  }
  return text;
}

}  // namespace strata
