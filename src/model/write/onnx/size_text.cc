#include "write/onnx/size_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/poly.h"

namespace strata::onnx {

namespace {

using namespace detail;

std::string sum_text(const Expr& expr);

std::string atom_text(const Atom& atom);

// Text of one side of a division.
std::string operand_text(const Expr& expr) {
  const Terms terms(expr);
  if (terms.size() == 1 && terms[0].coefficient == 1 && terms[0].monomial.size() == 1 &&
      terms[0].monomial[0].power == 1)
    return atom_text(*terms[0].monomial[0].atom);
  if (expr.is_number() && expr.value() >= 0) return fmt::format("{}", expr.value());
  return fmt::format("({})", sum_text(expr));
}

std::string atom_text(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::Symbol:
      return atom.name;
    case AtomKind::Floor:  // in parentheses: 2*a//b would be (2*a)//b
      return fmt::format("({}//{})", operand_text(atom.a), operand_text(atom.b));
    case AtomKind::Min:
      return fmt::format("Min({}, {})", sum_text(atom.a), sum_text(atom.b));
    case AtomKind::Max:
      return fmt::format("Max({}, {})", sum_text(atom.a), sum_text(atom.b));
  }
  return "?";
}

std::string product_text(std::int64_t coefficient, const Monomial& monomial) {
  std::string text;
  if (coefficient != 1 || monomial.empty()) text = fmt::format("{}", coefficient);
  for (const Factor& factor : monomial)
    for (std::uint32_t i = 0; i < factor.power; ++i)
      text += (text.empty() ? "" : "*") + atom_text(*factor.atom);
  return text;
}

// Positive terms come before negative ones, because there is no leading sign.
std::string sum_text(const Expr& expr) {
  if (expr.is_number() && expr.value() >= 0) return fmt::format("{}", expr.value());
  const Terms terms(expr);
  std::vector<const Term*> order;
  for (const Term& term : terms) order.push_back(&term);
  std::stable_partition(order.begin(), order.end(),
                        [](const Term* term) { return term->coefficient > 0; });
  std::string text;
  for (const Term* term : order) {
    const bool negative = term->coefficient < 0;
    if (text.empty() && negative) text = "0";
    if (!text.empty()) text += negative ? " - " : " + ";
    text += product_text(negative ? -term->coefficient : term->coefficient, term->monomial);
  }
  return text;
}

}  // namespace

std::string size_text(const Expr& formula) { return sum_text(formula); }

}  // namespace strata::onnx
