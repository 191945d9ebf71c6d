// A count that need not be whole: a formula over a number, kept exactly. Some conventions count
// fractions of positions, and energy figures are decimals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "strata/base/expr.h"

namespace strata {

class Amount {
 public:
  Amount() = default;                               // 0
  Amount(Expr whole) : above_(std::move(whole)) {}  // NOLINT(google-explicit-constructor)
  Amount(std::int64_t whole) : above_(whole) {}     // NOLINT(google-explicit-constructor)
  // `above` / `below`; unknown if `below` is 0.
  static Amount ratio(Expr above, std::int64_t below);
  static Amount unknown() { return Expr::unknown(); }
  // `12`, `0.45`; nullopt if the text is not such a number or has too many digits.
  static std::optional<Amount> from_decimal(std::string_view text);

  const Expr& above() const { return above_; }
  std::int64_t below() const { return below_; }  // at least 1
  bool is_unknown() const { return above_.is_unknown(); }
  bool is_whole() const { return below_ == 1; }
  bool is(std::int64_t number) const { return below_ == 1 && above_.is(number); }

  Expr floor() const;  // rounded down; the Amount itself if it is whole
  Expr ceil() const;
  // The amount as a number; nullopt for formulas and unknown.
  std::optional<double> number() const;
  // `627688672`, `4.5`, `(3·N + 1)/4`; `?` if unknown.
  std::string text() const;

  friend Amount operator+(const Amount& a, const Amount& b) {
    return a.below_ == 1 && b.below_ == 1 ? Amount(a.above_ + b.above_) : sum(a, b, 1);
  }
  friend Amount operator-(const Amount& a, const Amount& b) { return sum(a, b, -1); }
  friend Amount operator*(const Amount& a, const Amount& b);
  // Unknown if b is 0, or a formula that does not divide a.
  friend Amount operator/(const Amount& a, const Amount& b);
  Amount& operator+=(const Amount& b) { return *this = *this + b; }

  // Same as for Expr.
  friend bool is_same(const Amount& a, const Amount& b) {
    return a.below_ == b.below_ && is_same(a.above_, b.above_);
  }
  friend bool operator==(const Amount& a, const Amount& b) {
    return a.below_ == b.below_ && a.above_ == b.above_;
  }

 private:
  static Amount sum(const Amount& a, const Amount& b, std::int64_t sign);
  void reduce();

  Expr above_;
  std::int64_t below_ = 1;
};

// ⌊a / b⌋
Amount floor_quotient(const Amount& a, const Amount& b);

}  // namespace strata
