#include "strata/graph/shape.h"

namespace strata {

Expr elements(const Dims& dims) {
  std::int64_t count = 1;
  for (const Expr& size : dims) {
    if (!size.is_number() || __builtin_mul_overflow(count, size.value(), &count)) {
      Expr product = 1;
      for (const Expr& factor : dims) product *= factor;
      return product;
    }
  }
  return count;
}

Expr bytes(const Expr& count, DType type) {
  const int size = bits(type);
  if (size == 0) return Expr::unknown();
  if (size < 8) return ceil_div(count, 8 / size);
  return count * (size / 8);
}

std::string text(const Dims& dims) {
  if (dims.empty()) return "scalar";
  std::string out;
  for (const Expr& size : dims) {
    if (!out.empty()) out += "×";
    const bool is_sum = size.is_formula() && size.terms().size() > 1;
    out += is_sum ? "(" + size.text() + ")" : size.text();
  }
  return out;
}

}  // namespace strata
