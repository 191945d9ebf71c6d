#include "ops/scalar_math.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace strata::scalar {
namespace {

constexpr double kExactInDouble = 9007199254740992.0;  // 2^53

// Rounded to a significand of `digits` binary digits.
double rounded(double number, int digits) {
  if (!std::isfinite(number) || number == 0) return number;
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}

bool is_signed(DType type) {
  switch (type) {
    case DType::I8:
    case DType::I16:
    case DType::I32:
    case DType::I64:
    case DType::I4:
    case DType::I2:
      return true;
    default:
      return false;
  }
}

// Combines both as integers or formulas, otherwise both as numbers; otherwise unknown.
template <class Whole, class Real>
Scalar combine(const Scalar& a, const Scalar& b, Whole whole, Real real) {
  if (a.is_real() || b.is_real()) {
    const auto x = a.number(), y = b.number();
    if (x && y) return Scalar::real(real(*x, *y));
  }
  const auto x = exact_whole(a), y = exact_whole(b);
  if (!x || !y) return unknown();
  return whole(*x, *y);
}

// True if a - b is at least `bound` for every size; nullopt if that cannot be told.
std::optional<bool> differs_by(const Scalar& a, const Scalar& b, std::int64_t bound) {
  const auto x = exact_whole(a), y = exact_whole(b);
  if (!x || !y) return std::nullopt;
  const Expr difference = *x - *y;
  if (difference.is_unknown()) return std::nullopt;
  if (difference.is_number()) return difference.value() >= bound;
  if (provably_at_least(difference, bound)) return true;
  if (provably_at_least(-difference, 1 - bound)) return false;
  return std::nullopt;
}

Scalar truth_of(std::optional<bool> truth) { return truth ? from_bool(*truth) : unknown(); }

std::optional<bool> truth(const Scalar& a) {
  if (const auto number = a.number()) return *number != 0;
  if (provably_at_least(a.whole(), 1)) return true;
  return std::nullopt;
}

}  // namespace

Scalar unknown() { return Scalar(Expr::unknown()); }

Scalar from_double(double number) {
  const bool whole = std::abs(number) <= kExactInDouble && std::trunc(number) == number;
  return whole ? Scalar(static_cast<std::int64_t>(number)) : Scalar::real(number);
}

Scalar from_bool(bool truth) { return Scalar(std::int64_t{truth ? 1 : 0}); }

bool is_unknown(const Scalar& a) { return !a.is_real() && a.whole().is_unknown(); }

std::optional<Expr> exact_whole(const Scalar& a) {
  if (!a.is_real()) return a.whole();
  const double number = *a.number();
  if (!(std::abs(number) <= kExactInDouble) || std::trunc(number) != number) return std::nullopt;
  return Expr(static_cast<std::int64_t>(number));
}

Scalar fit(const Scalar& a, DType type) {
  if (is_float(type)) {
    const auto number = a.number();
    if (!number || (!a.is_real() && std::abs(*number) <= 256)) return a;
    if (type == DType::F32) return from_double(static_cast<double>(static_cast<float>(*number)));
    if (type == DType::F16) return from_double(rounded(*number, 11));
    if (type == DType::BF16) return from_double(rounded(*number, 8));
    return a;
  }
  if (!is_integer(type)) return a;
  const Expr whole = a.whole();
  if (!whole.is_number()) return whole;
  const int width = bits(type);
  if (width >= 64) return is_signed(type) || whole.value() >= 0 ? whole : Expr::unknown();
  const std::int64_t low = is_signed(type) ? -(std::int64_t{1} << (width - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << width) - 1;
  return whole.value() >= low && whole.value() <= high ? whole : Expr::unknown();
}

Scalar convert(const Scalar& a, DType to) {
  if (to == DType::Bool) return truth_of(truth(a));
  if (is_integer(to)) return fit(a.whole(), to);
  return is_float(to) && bits(to) >= 16 ? fit(a, to) : unknown();
}

Scalar add(const Scalar& a, const Scalar& b) {
  return combine(a, b, std::plus<Expr>(), std::plus<double>());
}

Scalar subtract(const Scalar& a, const Scalar& b) {
  return combine(a, b, std::minus<Expr>(), std::minus<double>());
}

Scalar multiply(const Scalar& a, const Scalar& b) {
  return combine(a, b, std::multiplies<Expr>(), std::multiplies<double>());
}

Scalar divide_real(const Scalar& a, const Scalar& b) {
  const auto x = a.number(), y = b.number();
  if (x && y) return from_double(*x / *y);
  const auto n = exact_whole(a), d = exact_whole(b);
  if (!n || !d || d->is(0)) return unknown();
  return exact_div(*n, *d).value_or(Expr::unknown());
}

Scalar divide_whole(const Scalar& a, const Scalar& b) {
  const Expr n = a.whole(), d = b.whole();
  if (d.is(0)) return unknown();
  if (n.is_number() && d.is_number()) return Scalar(n.value() / d.value());
  if (d.is_number() && d.value() < 0) return -floor_div(n, -d);
  return floor_div(n, d);
}

Scalar modulo(const Scalar& a, const Scalar& b) {
  return combine(
      a, b, [](const Expr& x, const Expr& y) { return y.is(0) ? Expr::unknown() : mod(x, y); },
      [](double x, double y) { return x - y * std::floor(x / y); });
}

Scalar remainder(const Scalar& a, const Scalar& b) {
  if (!a.is_real() && !b.is_real()) {
    const Scalar quotient = divide_whole(a, b);
    return is_unknown(quotient) ? unknown() : subtract(a, multiply(quotient, b));
  }
  const auto x = a.number(), y = b.number();
  if (!x || !y) return modulo(a, b);
  return from_double(std::fmod(*x, *y));
}

Scalar power(const Scalar& a, const Scalar& b) {
  const auto x = exact_whole(a), n = exact_whole(b);
  if (x && n && n->is_number() && n->value() >= 0 && n->value() <= 64) {
    Expr result = 1;
    for (std::int64_t i = 0; i < n->value(); ++i) result *= *x;
    return result;
  }
  const auto base = a.number(), exponent = b.number();
  return base && exponent ? from_double(std::pow(*base, *exponent)) : unknown();
}

Scalar minimum(const Scalar& a, const Scalar& b) {
  return combine(
      a, b, [](const Expr& x, const Expr& y) { return min(x, y); },
      [](double x, double y) { return std::min(x, y); });
}

Scalar maximum(const Scalar& a, const Scalar& b) {
  return combine(
      a, b, [](const Expr& x, const Expr& y) { return max(x, y); },
      [](double x, double y) { return std::max(x, y); });
}

Scalar equal(const Scalar& a, const Scalar& b) {
  const auto x = a.number(), y = b.number();
  if (x && y) {
    const bool exact = !a.is_real() && !b.is_real();
    return from_bool(exact ? a.whole() == b.whole() : *x == *y);
  }
  const auto below = less(a, b), above = less(b, a);
  if (below.whole().is(1) || above.whole().is(1)) return from_bool(false);
  if (below.whole().is(0) && above.whole().is(0)) return from_bool(true);
  return unknown();
}

Scalar less(const Scalar& a, const Scalar& b) {
  if (a.is_real() || b.is_real()) {
    const auto x = a.number(), y = b.number();
    if (x && y) return from_bool(*x < *y);
  }
  return truth_of(differs_by(b, a, 1));
}

Scalar at_most(const Scalar& a, const Scalar& b) {
  if (a.is_real() || b.is_real()) {
    const auto x = a.number(), y = b.number();
    if (x && y) return from_bool(*x <= *y);
  }
  return truth_of(differs_by(b, a, 0));
}

Scalar greater(const Scalar& a, const Scalar& b) { return less(b, a); }
Scalar at_least(const Scalar& a, const Scalar& b) { return at_most(b, a); }

Scalar logical_and(const Scalar& a, const Scalar& b) {
  const auto x = truth(a), y = truth(b);
  if ((x && !*x) || (y && !*y)) return from_bool(false);
  return x && y ? from_bool(true) : unknown();
}

Scalar logical_or(const Scalar& a, const Scalar& b) {
  return logical_not(logical_and(logical_not(a), logical_not(b)));
}

Scalar logical_xor(const Scalar& a, const Scalar& b) {
  const auto x = truth(a), y = truth(b);
  return x && y ? from_bool(*x != *y) : unknown();
}

Scalar logical_not(const Scalar& a) {
  const auto x = truth(a);
  return x ? from_bool(!*x) : unknown();
}

Scalar select(const Scalar& condition, const Scalar& yes, const Scalar& no) {
  if (const auto chosen = truth(condition)) return *chosen ? yes : no;
  return equal(yes, no).whole().is(1) ? yes : unknown();
}

Scalar negate(const Scalar& a) {
  return a.is_real() ? Scalar::real(-*a.number()) : Scalar(-a.whole());
}

Scalar absolute(const Scalar& a) {
  if (a.is_real()) return Scalar::real(std::abs(*a.number()));
  const Expr whole = a.whole();
  return provably_at_least(whole, 0) ? whole : strata::max(whole, -whole);
}

Scalar sign(const Scalar& a) {
  if (const auto number = a.number()) {
    return Scalar(std::int64_t{*number > 0} - std::int64_t{*number < 0});
  }
  return provably_at_least(a.whole(), 1) ? Scalar(std::int64_t{1}) : unknown();
}

Scalar floor(const Scalar& a) { return a.is_real() ? from_double(std::floor(*a.number())) : a; }

Scalar ceil(const Scalar& a) { return a.is_real() ? from_double(std::ceil(*a.number())) : a; }

Scalar round_half_even(const Scalar& a) {
  return a.is_real() ? from_double(std::nearbyint(*a.number())) : a;
}

}  // namespace strata::scalar
