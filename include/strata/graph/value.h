// The elements of a small tensor, when they are known: shapes, axes, sizes and
// other settings that a network computes with. An element can be a formula.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/expr.h"
#include "strata/base/inline_vector.h"
#include "strata/graph/dtype.h"

namespace strata {

// Values with more elements than this are not kept: nothing that shapes depend
// on is larger, and the memory stays bounded.
inline constexpr std::int64_t kMaxValueElements = 4096;

// One element: an integer (or a formula), or a real number. An integer-valued
// element of a float tensor may be either.
class Scalar {
 public:
  Scalar() = default;
  Scalar(Expr whole) : whole_(std::move(whole)) {}  // NOLINT(google-explicit-constructor)
  // A number too large for an Expr is kept as a real number, with its sign.
  Scalar(std::int64_t whole)  // NOLINT(google-explicit-constructor)
      : whole_(whole),
        real_(static_cast<double>(whole)),
        is_real_(whole > Expr::kMaxNumber || whole < Expr::kMinNumber) {}
  static Scalar real(double number) {
    Scalar scalar;
    scalar.real_ = number;
    scalar.is_real_ = true;
    return scalar;
  }
  bool is_real() const { return is_real_; }
  // The integer or formula; a real is rounded towards zero. unknown if it is NaN or too large.
  Expr whole() const {
    if (!is_real_) return whole_;
    if (!(std::abs(real_) < 4.6e18)) return Expr::unknown();
    return Expr(static_cast<std::int64_t>(real_));
  }
  // The value as a number; nullopt for formulas and unknown.
  std::optional<double> number() const {
    if (is_real_) return real_;
    if (auto n = whole_.number()) return static_cast<double>(*n);
    return std::nullopt;
  }

 private:
  Expr whole_;
  double real_ = 0;
  bool is_real_ = false;
};

// Most tensors whose elements are known have one.
using Scalars = InlineVector<Scalar, 1>;

struct Value {
  DType type = DType::Undefined;
  InlineVector<std::int64_t, 4> dims;
  Scalars items;                        // row-major, one per element of the tensor
  std::vector<std::string> texts = {};  // for strings, instead of items

  std::size_t size() const { return items.size(); }
};

}  // namespace strata
