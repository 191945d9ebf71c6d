// The sizes of a tensor, each a number or a formula, or the fact that not even
// the number of axes is known.
#pragma once

#include <string>

#include "strata/base/expr.h"
#include "strata/base/inline_vector.h"
#include "strata/graph/dtype.h"

namespace strata {

using Dims = InlineVector<Expr, 5>;

// Product of the sizes; 1 for a scalar.
Expr elements(const Dims& dims);
// Bytes of `count` elements: sub-byte types are packed, the last byte rounded up.
// unknown for types with no fixed size.
Expr bytes(const Expr& count, DType type);
// `1×3×224×224`, `N×64×56×56`; `scalar` for no axes.
std::string text(const Dims& dims);

}  // namespace strata
