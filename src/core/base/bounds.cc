// The bounds of an expression, given only that every symbol is at least 1 (or, for upper_bound, at
// least 0). Each operand is looked at by itself, so N - ⌊N/2⌋ has no lower bound here.
#include <algorithm>

#include "base/poly.h"

namespace strata {
namespace detail {
namespace {

constexpr std::int64_t kMinusInfinity = Bounds::kMinusInfinity;
constexpr std::int64_t kInfinity = Bounds::kInfinity;

bool finite(std::int64_t bound) { return bound != kMinusInfinity && bound != kInfinity; }

// `otherwise` is the infinity that is always a valid bound.
std::int64_t added(std::int64_t a, std::int64_t b, std::int64_t otherwise) {
  return finite(a) && finite(b) ? checked_add(a, b).value_or(otherwise) : otherwise;
}

std::int64_t times(std::int64_t a, std::int64_t b, std::int64_t otherwise) {
  return finite(a) && finite(b) ? checked_mul(a, b).value_or(otherwise) : otherwise;
}

Bounds scaled(const Bounds& x, std::int64_t by) {
  if (by < 0) return {times(x.high, by, kMinusInfinity), times(x.low, by, kInfinity)};
  return {times(x.low, by, kMinusInfinity), times(x.high, by, kInfinity)};
}

Bounds product(const Bounds& x, const Bounds& y) {
  if (x.low >= 0 && y.low >= 0) {
    return {times(x.low, y.low, kMinusInfinity), times(x.high, y.high, kInfinity)};
  }
  const bool x_is_finite = finite(x.low) && finite(x.high);
  const Bounds& by = x_is_finite ? x : y;
  const Bounds& other = x_is_finite ? y : x;
  if (!finite(by.low) || !finite(by.high)) return {};
  const Bounds low = scaled(other, by.low);
  const Bounds high = scaled(other, by.high);
  return {std::min(low.low, high.low), std::max(low.high, high.high)};
}

Bounds quotient(const Bounds& x, const Bounds& y) {
  if (y.low < 1) return {};
  // ⌊x/y⌋ is lowest at the smallest y if x is negative, else at the largest y; and highest the
  // other way round. As y goes to infinity, it becomes 0, or -1 if x < 0.
  Bounds out;
  if (finite(x.low)) {
    out.low = x.low < 0 ? floored(x.low, y.low) : finite(y.high) ? floored(x.low, y.high) : 0;
  }
  if (finite(x.high)) {
    out.high = x.high >= 0 ? floored(x.high, y.low) : finite(y.high) ? floored(x.high, y.high) : -1;
  }
  return out;
}

// Bounds of a function whose operands have these bounds.
Bounds function(AtomKind kind, const Bounds& x, const Bounds& y) {
  switch (kind) {
    case AtomKind::Floor:
      return quotient(x, y);
    case AtomKind::Min:
      return {std::min(x.low, y.low), std::min(x.high, y.high)};
    case AtomKind::Max:
      return {std::max(x.low, y.low), std::max(x.high, y.high)};
    case AtomKind::Symbol:
      break;
  }
  return {.low = 1};
}

// `of_atom` returns the bounds of an atom.
template <class OfAtom>
Bounds sum_of_products(const Expr& expr, const OfAtom& of_atom) {
  if (expr.is_unknown()) return {};
  Bounds sum{0, 0};
  for (const Term& term : Terms(expr)) {
    Bounds part{1, 1};
    for (const Factor& factor : term.monomial) {
      const Bounds base = of_atom(*factor.atom);
      for (std::uint32_t i = 0; i < factor.power; ++i) part = product(part, base);
    }
    part = scaled(part, term.coefficient);
    sum = {added(sum.low, part.low, kMinusInfinity), added(sum.high, part.high, kInfinity)};
  }
  return sum;
}

// Bounds with symbols from 0. Atoms store only their bounds from 1, so this walks down.
Bounds bounds_from_zero(const Expr& expr) {
  return sum_of_products(expr, [](const Atom& atom) {
    if (atom.kind == AtomKind::Symbol) return Bounds{.low = 0};
    return function(atom.kind, bounds_from_zero(atom.a), bounds_from_zero(atom.b));
  });
}

}  // namespace

Bounds bounds(const Expr& expr) {
  return sum_of_products(expr, [](const Atom& atom) { return atom.bounds; });
}

Bounds bounds(AtomKind kind, const Expr& a, const Expr& b) {
  return function(kind, bounds(a), bounds(b));
}

}  // namespace detail

bool provably_at_least(const Expr& a, std::int64_t bound) {
  const std::int64_t low = detail::bounds(a).low;
  return low != detail::kMinusInfinity && low >= bound;
}

std::optional<std::int64_t> upper_bound(const Expr& a) {
  const std::int64_t high = detail::bounds_from_zero(a).high;
  return high == detail::kInfinity ? std::nullopt : std::optional(high);
}

}  // namespace strata
