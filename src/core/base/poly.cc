#include "base/poly.h"

#include <algorithm>
#include <string_view>

#include "base/formula_state.h"
#include "base/name_table.h"
#include "base/shortened.h"

namespace strata {
namespace detail {
namespace {

std::size_t mixed(std::size_t seed, std::size_t value) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + value;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Seeded per process, so that no file can make formulas that only look equal.
std::size_t seeded(std::size_t value) {
  static const HashSeed kSeed = process_seed();
  return mixed(kSeed.a, value);
}

std::size_t size_of(const Expr& expr) { return expr.is_formula() ? Access::poly(expr).size : 1; }

std::uint32_t depth_of(const Expr& expr) {
  return expr.is_formula() ? Access::poly(expr).depth : 0;
}

// nullopt: a power is too high.
std::optional<Monomial> multiplied(const Monomial& a, const Monomial& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  Monomial out;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const auto order = compare(*a[i].atom, *b[j].atom);
    if (std::is_lt(order)) {
      out.push_back(a[i++]);
    } else if (std::is_gt(order)) {
      out.push_back(b[j++]);
    } else {
      const std::uint32_t power = a[i].power + b[j].power;
      if (power > kMaxPower) return std::nullopt;
      out.push_back({a[i].atom, power});
      ++i, ++j;
    }
  }
  while (i < a.size()) out.push_back(a[i++]);
  while (j < b.size()) out.push_back(b[j++]);
  return out;
}

// Sorts into canonical order and adds up equal monomials. False: a coefficient overflows.
bool collect(std::vector<Term>& terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return std::is_gt(compare(a.monomial, b.monomial));
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term sum = std::move(terms[i++]);
    for (; i < terms.size() && std::is_eq(compare(sum.monomial, terms[i].monomial)); ++i) {
      const auto coefficient = checked_add(sum.coefficient, terms[i].coefficient);
      if (!coefficient) return false;
      sum.coefficient = *coefficient;
    }
    if (sum.coefficient != 0) terms[kept++] = std::move(sum);
  }
  terms.resize(kept);
  return true;
}

}  // namespace

void retain(const Poly* poly) noexcept { poly->references.fetch_add(1, std::memory_order_relaxed); }

void release(const Poly* poly) noexcept {
  if (poly->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete poly;
}

Terms::Terms(const Expr& expr) {
  if (expr.is_formula()) {
    terms_ = Access::poly(expr).terms;
  } else if (!expr.is(0)) {
    constant_.coefficient = expr.value();
    terms_ = {&constant_, 1};
  }
}

Expr from_terms(std::vector<Term> terms) {
  if (terms.empty()) return 0;
  if (terms.size() == 1 && terms[0].monomial.empty()) return terms[0].coefficient;
  if (terms.size() > kMaxTerms) return Expr::unknown();
  std::size_t hash = seeded(terms.size());
  std::size_t size = 0;
  std::size_t room = 0;
  std::uint32_t depth = 0;
  for (const Term& term : terms) {
    hash = mixed(hash, static_cast<std::size_t>(term.coefficient));
    size += 1;
    room += 1 + term.monomial.size();
    for (const Factor& factor : term.monomial) {
      hash = mixed(mixed(hash, factor.atom->hash), factor.power);
      size += factor.atom->size;
      depth = std::max(depth, factor.atom->depth);
    }
  }
  if (size > kMaxSize) return Expr::unknown();
  FormulaState* const state = formula_state;
  if (state != nullptr) {
    if (!state->take_room(room)) return Expr::unknown();
    if (const Poly* known = state->find(terms, hash, size)) {
      retain(known);
      return Access::own(known);
    }
  }
  Expr made =
      Access::own(new Poly{std::move(terms), hash, size, depth, static_cast<std::uint32_t>(room)});
  if (state != nullptr) state->remember(made);
  return made;
}

Expr from_atom(AtomRef atom) {
  std::vector<Term> terms(1);
  terms[0].coefficient = 1;
  terms[0].monomial.push_back({std::move(atom), 1});
  return from_terms(std::move(terms));
}

Expr from_function(AtomKind kind, const Expr& a, const Expr& b) {
  const Bounds between = bounds(kind, a, b);
  if (between.low == between.high) return between.low;
  const std::uint32_t depth = 1 + std::max(depth_of(a), depth_of(b));
  if (depth > kMaxDepth) return Expr::unknown();
  const std::size_t hash = mixed(mixed(static_cast<std::size_t>(kind), a.hash()), b.hash());
  const std::size_t size = 1 + size_of(a) + size_of(b);
  return from_atom(AtomRef(new Atom{kind, {}, a, b, hash, size, depth, between}));
}

std::strong_ordering compare(const Atom& a, const Atom& b) {
  if (&a == &b) return std::strong_ordering::equal;
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.kind == AtomKind::Symbol) return a.name <=> b.name;
  // Greater arguments come first: ⌊H/2⌋ before ⌊S/2⌋, as H comes before S.
  if (const auto order = compare(b.a, a.a); std::is_neq(order)) return order;
  return compare(b.b, a.b);
}

std::strong_ordering compare(const Monomial& a, const Monomial& b) {
  const std::size_t shared = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < shared; ++i) {
    // The lesser atom is the more significant one: a monomial that has it is greater.
    if (const auto order = compare(*b[i].atom, *a[i].atom); std::is_neq(order)) return order;
    if (a[i].power != b[i].power) return a[i].power <=> b[i].power;
  }
  return a.size() <=> b.size();
}

// Walks each part once. Testing for equality first would walk equal hashes twice at every level,
// and a file can forge those: 2^depth steps for a formula of 60 nested divisions.
std::strong_ordering compare(const Expr& a, const Expr& b) {
  const bool formulas = a.is_formula() && b.is_formula();
  if (formulas && &Access::poly(a) == &Access::poly(b)) return std::strong_ordering::equal;
  const Terms x(a);
  const Terms y(b);
  const std::size_t shared = std::min(x.size(), y.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (const auto order = compare(x[i].monomial, y[i].monomial); std::is_neq(order)) return order;
    if (x[i].coefficient != y[i].coefficient) return x[i].coefficient <=> y[i].coefficient;
  }
  return x.size() <=> y.size();
}

bool same_terms(std::span<const Term> a, std::span<const Term> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Term& x, const Term& y) {
    return x.coefficient == y.coefficient && std::is_eq(compare(x.monomial, y.monomial));
  });
}

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  return (Expr(a) + Expr(b)).number();
}

std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  return (Expr(a) * Expr(b)).number();
}

std::int64_t floored(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

}  // namespace detail

using namespace detail;

Expr Expr::symbol(std::string_view name) {
  std::string own = symbol_name(name);
  const std::size_t hash = hash_bytes(own, process_seed());
  const std::size_t size = 1 + own.size() / kBytesPerAtom;
  const Bounds at_least_1{.low = 1};
  return from_atom(
      AtomRef(new Atom{AtomKind::Symbol, std::move(own), {}, {}, hash, size, 0, at_least_1}));
}

namespace {

std::size_t term_count(const Expr& known) {
  return known.is_formula() ? Access::poly(known).terms.size() : known.is(0) ? 0 : 1;
}

// Estimates the cost of computing it: the atoms that are compared or copied.
std::size_t work_of(Operation operation, const Expr& a, const Expr& b) {
  if (operation != Operation::Multiply) return size_of(a) + size_of(b);
  return term_count(a) * size_of(b) + term_count(b) * size_of(a);
}

// Within the limits of the scope, if there is one; what it computed a moment ago is not computed
// again. Both are known, and not both are numbers.
template <class Compute>
Expr within_limits(Operation operation, const Expr& a, const Expr& b, const Compute& compute) {
  FormulaState* const state = formula_state;
  if (state == nullptr) return compute();
  if (!state->take_work(work_of(operation, a, b))) return Expr::unknown();
  if (const Expr* known = state->find(operation, a, b)) {
    if (known->is_formula() && !state->take_room(Access::poly(*known).room)) return Expr::unknown();
    return *known;
  }
  Expr result = compute();
  state->remember(operation, a, b, result);
  return result;
}

Expr added(const Expr& a, const Expr& b, std::int64_t sign) {
  const Terms x(a);
  const Terms y(b);
  std::vector<Term> terms;
  terms.reserve(x.size() + y.size());
  std::size_t i = 0;
  for (const Term& term : y) {
    for (; i < x.size() && std::is_gt(compare(x[i].monomial, term.monomial)); ++i)
      terms.push_back(x[i]);
    auto coefficient = checked_mul(sign, term.coefficient);
    if (coefficient && i < x.size() && std::is_eq(compare(x[i].monomial, term.monomial))) {
      coefficient = checked_add(x[i++].coefficient, *coefficient);
    }
    if (!coefficient) return Expr::overflow();
    if (*coefficient != 0) terms.push_back({*coefficient, term.monomial});
  }
  for (; i < x.size(); ++i) terms.push_back(x[i]);
  return from_terms(std::move(terms));
}

Expr multiplied(const Expr& a, const Expr& b) {
  const Terms x(a);
  const Terms y(b);
  if (x.size() * y.size() > kMaxProducts) return Expr::unknown();
  std::vector<Term> terms;
  terms.reserve(x.size() * y.size());
  for (const Term& left : x) {
    for (const Term& right : y) {
      const auto coefficient = checked_mul(left.coefficient, right.coefficient);
      if (!coefficient) return Expr::overflow();
      auto monomial = detail::multiplied(left.monomial, right.monomial);
      if (!monomial) return Expr::unknown();
      terms.push_back({*coefficient, std::move(*monomial)});
    }
  }
  // If one side is a single term, the other side's order is kept.
  if (x.size() > 1 && y.size() > 1 && !collect(terms)) return Expr::overflow();
  return from_terms(std::move(terms));
}

}  // namespace

Expr Expr::sum(const Expr& a, const Expr& b, std::int64_t sign) {
  if (a.is_overflow() || b.is_overflow()) return overflow();
  if (a.is_unknown() || b.is_unknown()) return unknown();
  if (b.is(0)) return a;
  if (a.is(0) && sign == 1) return b;
  return within_limits(sign > 0 ? Operation::Add : Operation::Subtract, a, b,
                       [&] { return added(a, b, sign); });
}

Expr Expr::product(const Expr& a, const Expr& b) {
  if (a.is(0) || b.is(0)) return 0;
  if (a.is_overflow() || b.is_overflow()) return overflow();
  if (a.is_unknown() || b.is_unknown()) return unknown();
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return within_limits(Operation::Multiply, a, b, [&] { return multiplied(a, b); });
}

bool Expr::same_form(const Expr& a, const Expr& b) {
  const Poly& x = Access::poly(a);
  const Poly& y = Access::poly(b);
  return x.hash == y.hash && x.size == y.size && same_terms(x.terms, y.terms);
}

std::size_t Expr::hash() const { return is_formula() ? Access::poly(*this).hash : seeded(bits_); }

}  // namespace strata
