#include "strata/graph/shape.h"

#include "base/poly.h"

namespace strata {

Expr detail::product_of(const Dims& dims) {
  Expr product = 1;
  for (const Expr& factor : dims) product *= factor;
  return product;
}

Expr detail::packed_bytes(const Expr& count, int bits) {
  return bits == 0 ? Expr::unknown() : ceil_div(count, 8 / bits);
}

std::string text(const Dims& dims) {
  if (dims.empty()) return "scalar";
  std::string out;
  for (const Expr& size : dims) {
    if (!out.empty()) out += "×";
    const bool is_sum = size.is_formula() && detail::Access::poly(size).terms.size() > 1;
    out += is_sum ? "(" + size.text() + ")" : size.text();
  }
  return out;
}

}  // namespace strata
