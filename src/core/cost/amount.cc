#include "strata/cost/amount.h"

#include <utility>

#include <fmt/format.h>

namespace strata {

namespace {

// Denominators are products of strides and powers of ten: larger ones are malicious.
constexpr std::int64_t kMaxBelow = std::int64_t{1} << 31;

// Euclid's algorithm: one division reduces a large count to a small denominator, where std::gcd
// halves it step by step.
std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a < 0 ? -a : a;
}

}  // namespace

Amount Amount::ratio(Expr above, std::int64_t below) {
  Amount amount;
  if (below == 0) return unknown();
  amount.above_ = below < 0 ? -above : std::move(above);
  amount.below_ = below < 0 ? -below : below;
  amount.reduce();
  return amount.below_ > kMaxBelow ? unknown() : amount;
}

void Amount::reduce() {
  if (below_ == 1) return;
  if (above_.is_unknown()) {
    below_ = 1;
  } else if (above_.is_number()) {
    const std::int64_t common = common_divisor(above_.value(), below_);
    above_ = above_.value() / common;
    below_ /= common;
  } else if (auto whole = exact_div(above_, below_)) {
    above_ = std::move(*whole);
    below_ = 1;
  }
}

std::optional<Amount> Amount::from_decimal(std::string_view text) {
  constexpr std::size_t kMaxDigits = 15;
  std::int64_t digits = 0, below = 1;
  std::size_t count = 0;
  bool point = false;
  for (char c : text) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9' || ++count > kMaxDigits || below >= kMaxBelow / 10) return std::nullopt;
    digits = digits * 10 + (c - '0');
    if (point) below *= 10;
  }
  if (count == 0 || text.back() == '.') return std::nullopt;
  return ratio(digits, below);
}

Expr Amount::floor() const { return below_ == 1 ? above_ : floor_div(above_, below_); }
Expr Amount::ceil() const { return below_ == 1 ? above_ : ceil_div(above_, below_); }

std::optional<double> Amount::number() const {
  if (!above_.is_number()) return std::nullopt;
  return static_cast<double>(above_.value()) / static_cast<double>(below_);
}

std::string Amount::text() const {
  if (below_ == 1) return above_.text();
  if (above_.is_number()) return fmt::format("{:.10g}", *number());
  return fmt::format("({})/{}", above_.text(), below_);
}

Amount Amount::sum(const Amount& a, const Amount& b, std::int64_t sign) {
  if (a.below_ == b.below_) {
    Amount out;
    out.above_ = sign > 0 ? a.above_ + b.above_ : a.above_ - b.above_;
    out.below_ = a.below_;
    out.reduce();
    return out;
  }
  const std::int64_t common = common_divisor(a.below_, b.below_);
  const Expr left = a.above_ * (b.below_ / common);
  const Expr right = b.above_ * (a.below_ / common);
  return ratio(sign > 0 ? left + right : left - right, a.below_ / common * b.below_);
}

Amount operator*(const Amount& a, const Amount& b) {
  if (a.below_ == 1 && b.below_ == 1) return a.above_ * b.above_;
  // Reduce crosswise first, so that large counts times small fractions stay in range.
  const Amount left = Amount::ratio(a.above_, b.below_), right = Amount::ratio(b.above_, a.below_);
  return Amount::ratio(left.above_ * right.above_, left.below_ * right.below_);
}

Amount operator/(const Amount& a, const Amount& b) {
  if (const auto quotient = exact_div(a.above_ * b.below_, b.above_))
    return Amount::ratio(*quotient, a.below_);
  if (!b.above_.is_number()) return Amount::unknown();
  return a * Amount::ratio(b.below_, b.above_.value());
}

Amount floor_quotient(const Amount& a, const Amount& b) {
  return floor_div(a.above() * b.below(), b.above() * a.below());
}

}  // namespace strata
