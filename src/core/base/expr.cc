#include "strata/base/expr.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/poly.h"

namespace strata {

using namespace detail;

namespace {

// The absorbing value, if a or b makes every operation on them unknown.
std::optional<Expr> absorbed(const Expr& a, const Expr& b) {
  if (a.is_overflow() || b.is_overflow()) return Expr::overflow();
  if (a.is_unknown() || b.is_unknown()) return Expr::unknown();
  return std::nullopt;
}

// The atom ⌊x/a⌋ where a is a number, if it is the only such atom with coefficient 1.
const Atom* only_floor(const Expr& expr) {
  const Atom* found = nullptr;
  for (const Term& term : Terms(expr)) {
    if (term.coefficient != 1 || term.monomial.size() != 1) continue;
    const Factor& factor = term.monomial[0];
    if (factor.power != 1 || factor.atom->kind != AtomKind::Floor) continue;
    if (!factor.atom->b.is_number()) continue;
    if (found != nullptr) return nullptr;
    found = &*factor.atom;
  }
  return found;
}

// ⌊numerator/divisor⌋ with one floor instead of two if the numerator has one: ⌊(⌊x/a⌋ + k)/b⌋ = ⌊(x
// + k·a)/(a·b)⌋ for any integer k.
Expr nested_floor(const Expr& numerator, std::int64_t divisor) {
  if (const Atom* inner = only_floor(numerator)) {
    const Expr rest = numerator - from_function(AtomKind::Floor, inner->a, inner->b);
    const Expr joined = inner->a + rest * inner->b;
    const Expr by = inner->b * divisor;
    if (!joined.is_unknown() && by.is_number()) return floor_div(joined, by);
  }
  return from_function(AtomKind::Floor, numerator, divisor);
}

// For a formula and a divisor of at least 2.
Expr floor_by_number(const Expr& a, std::int64_t divisor) {
  std::vector<Term> whole;
  std::vector<Term> rest;
  rest.reserve(Terms(a).size());
  std::int64_t constant = 0;
  std::int64_t common = divisor;
  for (const Term& term : Terms(a)) {
    if (term.monomial.empty()) {
      const std::int64_t quotient = floored(term.coefficient, divisor);
      constant = term.coefficient - quotient * divisor;
      if (quotient != 0) whole.push_back({quotient, {}});
    } else if (term.coefficient % divisor == 0) {
      whole.push_back({term.coefficient / divisor, term.monomial});
    } else {
      common = std::gcd(common, term.coefficient);
      rest.push_back(term);
    }
  }
  Expr outside = from_terms(std::move(whole));
  if (rest.empty()) return outside;
  // ⌊(g·x + k)/(g·d)⌋ = ⌊(x + ⌊k/g⌋)/d⌋
  for (Term& term : rest) term.coefficient /= common;
  if (constant >= common) rest.push_back({constant / common, {}});
  return outside + nested_floor(from_terms(std::move(rest)), divisor / common);
}

// nullopt: some atom has a lower power in a than in b.
std::optional<Monomial> divided(const Monomial& a, const Monomial& b) {
  Monomial out;
  std::size_t j = 0;
  for (const Factor& factor : a) {
    if (j == b.size() || std::is_neq(compare(*factor.atom, *b[j].atom))) {
      out.push_back(factor);
      continue;
    }
    if (factor.power < b[j].power) return std::nullopt;
    if (factor.power > b[j].power) out.push_back({factor.atom, factor.power - b[j].power});
    ++j;
  }
  if (j < b.size()) return std::nullopt;
  return out;
}

std::optional<Term> divided(const Term& a, const Term& b) {
  if (a.coefficient % b.coefficient != 0) return std::nullopt;
  // Only -2^62 / -1 is out of range.
  const auto coefficient = Expr(a.coefficient / b.coefficient).number();
  if (!coefficient) return std::nullopt;
  auto monomial = divided(a.monomial, b.monomial);
  if (!monomial) return std::nullopt;
  return Term{*coefficient, std::move(*monomial)};
}

// -1: a ≤ b for all values of the symbols; 1: a ≥ b; 0: not decided.
int proven_order(const Expr& a, const Expr& b) {
  const Bounds difference = bounds(a - b);
  if (difference.high <= 0) return -1;
  return difference.low >= 0 ? 1 : 0;
}

// max(x, y) contains x and y.
bool contains(AtomKind kind, const Expr& expr, const Expr& part) {
  const Terms terms(expr);
  if (terms.size() != 1 || terms[0].coefficient != 1 || terms[0].monomial.size() != 1) return false;
  const Factor& factor = terms[0].monomial[0];
  if (factor.power != 1 || factor.atom->kind != kind) return false;
  return factor.atom->a == part || factor.atom->b == part;
}

Expr extremum(AtomKind kind, const Expr& a, const Expr& b) {
  const bool least = kind == AtomKind::Min;
  if (a.is_number() && b.is_number()) return (a.value() < b.value()) == least ? a : b;
  if (auto out = absorbed(a, b)) return *out;
  if (a == b) return a;
  if (const int order = proven_order(a, b); order != 0) return (order < 0) == least ? a : b;
  if (contains(kind, a, b)) return a;
  if (contains(kind, b, a)) return b;
  return std::is_gt(compare(a, b)) ? from_function(kind, a, b) : from_function(kind, b, a);
}

void add_symbols(const Expr& expr, std::set<std::string>& names) {
  if (expr.is_unknown()) return;
  for (const Term& term : Terms(expr)) {
    for (const Factor& factor : term.monomial) {
      if (factor.atom->kind == AtomKind::Symbol) {
        names.insert(factor.atom->name);
      } else {
        add_symbols(factor.atom->a, names);
        add_symbols(factor.atom->b, names);
      }
    }
  }
}

using FindExpr = std::function<std::optional<Expr>(std::string_view)>;
using FindDouble = std::function<std::optional<double>(std::string_view)>;

Expr substituted(const AtomRef& atom, const FindExpr& find) {
  const auto argument = [&](const Expr& expr) { return expr.substitute(find); };
  switch (atom->kind) {
    case AtomKind::Symbol:
      if (auto found = find(atom->name)) return *found;
      return from_atom(atom);
    case AtomKind::Floor:
      return floor_div(argument(atom->a), argument(atom->b));
    case AtomKind::Min:
      return min(argument(atom->a), argument(atom->b));
    case AtomKind::Max:
      return max(argument(atom->a), argument(atom->b));
  }
  return Expr::unknown();
}

std::optional<double> evaluated(const Atom& atom, const FindDouble& find) {
  if (atom.kind == AtomKind::Symbol) return find(atom.name);
  const auto a = atom.a.evaluate(find);
  const auto b = atom.b.evaluate(find);
  if (!a || !b) return std::nullopt;
  if (atom.kind == AtomKind::Min) return std::min(*a, *b);
  if (atom.kind == AtomKind::Max) return std::max(*a, *b);
  if (*b == 0) return std::nullopt;
  return std::floor(*a / *b);
}

}  // namespace

Expr floor_div(const Expr& a, const Expr& b) {
  if (b.is(0)) return Expr::unknown();
  if (a.is_number() && b.is_number()) return floored(a.value(), b.value());
  if (auto out = absorbed(a, b)) return *out;
  if (b.is(1)) return a;
  if (b.is_number()) {
    if (b.value() < 0) return floor_div(-a, -b);
    return floor_by_number(a, b.value());
  }
  if (auto exact = exact_div(a, b)) return *exact;
  return from_function(AtomKind::Floor, a, b);
}

Expr ceil_div(const Expr& a, const Expr& b) {
  if (b.is(0)) return Expr::unknown();
  if (a.is_number() && b.is_number()) return -floored(-a.value(), b.value());
  if (b.is_number() && b.value() > 0) return floor_div(a + (b - 1), b);
  return -floor_div(-a, b);
}

Expr mod(const Expr& a, const Expr& b) {
  if (b.is(0)) return Expr::unknown();
  if (a.is_number() && b.is_number()) {
    const std::int64_t rest = a.value() % b.value();
    return rest != 0 && (rest < 0) != (b.value() < 0) ? rest + b.value() : rest;
  }
  return a - b * floor_div(a, b);
}

Expr min(const Expr& a, const Expr& b) { return extremum(AtomKind::Min, a, b); }
Expr max(const Expr& a, const Expr& b) { return extremum(AtomKind::Max, a, b); }

// Long division: in every step, the greatest term of the remainder must be a multiple of the
// divisor's greatest term.
std::optional<Expr> exact_div(const Expr& a, const Expr& b) {
  if (a.is_unknown() || b.is_unknown() || b.is(0)) return std::nullopt;
  if (a.is_number() && b.is_number()) {
    return a.value() % b.value() == 0 ? std::optional(floor_div(a, b)) : std::nullopt;
  }
  const Terms divisor(b);
  std::vector<Term> quotient;
  if (divisor.size() == 1) {
    for (const Term& term : Terms(a)) {
      auto part = divided(term, divisor[0]);
      if (!part) return std::nullopt;
      quotient.push_back(std::move(*part));
    }
    return from_terms(std::move(quotient));
  }
  for (Expr rest = a; !rest.is(0);) {
    auto part = divided(Terms(rest)[0], divisor[0]);
    if (!part || quotient.size() == kMaxTerms) return std::nullopt;
    quotient.push_back(*part);
    std::vector<Term> single;
    single.push_back(std::move(*part));
    rest -= from_terms(std::move(single)) * b;
    if (rest.is_unknown()) return std::nullopt;
  }
  return from_terms(std::move(quotient));
}

Expr Expr::substitute(const FindExpr& find) const {
  if (!is_formula()) return *this;
  Expr out;
  for (const detail::Term& term : Terms(*this)) {
    Expr product = term.coefficient;
    for (const Factor& factor : term.monomial) {
      const Expr value = substituted(factor.atom, find);
      for (std::uint32_t i = 0; i < factor.power; ++i) product *= value;
    }
    out += product;
  }
  return out;
}

std::vector<std::string> Expr::symbols() const {
  std::set<std::string> names;
  add_symbols(*this, names);
  return {names.begin(), names.end()};
}

std::optional<double> Expr::evaluate(const FindDouble& find) const {
  if (is_unknown()) return std::nullopt;
  double sum = 0;
  for (const detail::Term& term : Terms(*this)) {
    double product = static_cast<double>(term.coefficient);
    for (const Factor& factor : term.monomial) {
      const auto value = evaluated(*factor.atom, find);
      if (!value) return std::nullopt;
      product *= std::pow(*value, factor.power);
    }
    sum += product;
  }
  return sum;
}

}  // namespace strata
