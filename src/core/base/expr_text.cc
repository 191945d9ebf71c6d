#include <algorithm>

#include "base/poly.h"

namespace strata {

using namespace detail;

namespace {

std::string in_parentheses(const std::string& text) { return "(" + text + ")"; }

std::string numerator_text(const Expr& expr) {
  return Terms(expr).size() > 1 ? in_parentheses(expr.text()) : expr.text();
}

std::string divisor_text(const Expr& expr) {
  if (expr.is_number()) return expr.text();
  const Terms terms(expr);
  const bool single =
      terms.size() == 1 && terms[0].coefficient == 1 && terms[0].monomial.size() == 1;
  return single ? expr.text() : in_parentheses(expr.text());
}

std::string atom_text(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::Symbol:
      return atom.name;
    case AtomKind::Floor:
      return "⌊" + numerator_text(atom.a) + "/" + divisor_text(atom.b) + "⌋";
    case AtomKind::Min:
      return "min(" + atom.a.text() + ", " + atom.b.text() + ")";
    case AtomKind::Max:
      return "max(" + atom.a.text() + ", " + atom.b.text() + ")";
  }
  return "?";
}

std::string product_text(const Monomial& monomial) {
  std::string out;
  for (const Factor& factor : monomial) {
    if (!out.empty()) out += "·";
    out += atom_text(*factor.atom);
    if (factor.power > 1) out += "^" + std::to_string(factor.power);
  }
  return out;
}

std::uint64_t degree(const Monomial& monomial) {
  std::uint64_t sum = 0;
  for (const Factor& factor : monomial) sum += factor.power;
  return sum;
}

}  // namespace

std::vector<Expr::Term> Expr::terms() const {
  if (is_unknown()) return {};
  if (is_number()) return {{value(), ""}};
  std::vector<const detail::Term*> order;
  for (const detail::Term& term : Access::poly(*this).terms) order.push_back(&term);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return degree(a->monomial) > degree(b->monomial);
  });
  std::vector<Term> out;
  out.reserve(order.size());
  for (const detail::Term* term : order) {
    out.push_back({term->coefficient, product_text(term->monomial)});
  }
  return out;
}

std::string Expr::text() const {
  if (is_overflow()) return "overflow";
  if (is_unknown()) return "?";
  if (is_number()) return std::to_string(value());
  std::string out;
  for (const Term& term : terms()) {
    const bool negative = term.coefficient < 0;
    if (out.empty()) {
      out += negative ? "-" : "";
    } else {
      out += negative ? " - " : " + ";
    }
    const std::int64_t size = negative ? -term.coefficient : term.coefficient;
    if (size != 1 || term.product.empty()) out += std::to_string(size);
    if (size != 1 && !term.product.empty()) out += "·";
    out += term.product;
  }
  return out;
}

}  // namespace strata
