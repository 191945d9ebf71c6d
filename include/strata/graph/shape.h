// The sizes of a tensor, each a number or a formula, or the fact that even the number of axes is
// unknown.
#pragma once

#include <string>

#include "strata/base/expr.h"
#include "strata/base/inline_vector.h"
#include "strata/graph/dtype.h"

namespace strata {

using Dims = InlineVector<Expr, 5>;

namespace detail {
Expr product_of(const Dims& dims);
Expr packed_bytes(const Expr& count, int bits);
}  // namespace detail

// Product of the sizes; 1 for a scalar.
inline Expr elements(const Dims& dims) {
  std::int64_t count = 1;
  for (const Expr& size : dims)
    if (!size.is_number() || __builtin_mul_overflow(count, size.value(), &count))
      return detail::product_of(dims);
  return count;
}
// Bytes that `count` elements take: sub-byte types are packed, and the last byte is rounded up.
// unknown for types with no fixed size.
inline Expr bytes(const Expr& count, DType type) {
  const int size = bits(type);
  return size < 8 ? detail::packed_bytes(count, size) : count * (size / 8);
}
// `1×3×224×224`, `N×64×56×56`; `scalar` for no axes.
std::string text(const Dims& dims);

}  // namespace strata
