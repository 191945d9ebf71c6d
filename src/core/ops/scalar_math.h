// Arithmetic on known elements: integers and formulas stay exact, real numbers are computed in
// double. A result that cannot be determined is unknown. It has its own namespace, so that a call
// such as floor(0.5) elsewhere does not resolve to this one.
#pragma once

#include "strata/graph/value.h"

namespace strata::scalar {

Scalar unknown();
Scalar from_double(double number);  // an integer if the number is one
Scalar from_bool(bool truth);
bool is_unknown(const Scalar& a);
// The element as an integer or formula; nullopt if it is a real with a fraction.
std::optional<Expr> exact_whole(const Scalar& a);
// An element as a tensor of this type stores it: reals are rounded to its precision, integers out
// of its range are unknown.
Scalar fit(const Scalar& a, DType type);
// Converts like the operator Cast.
Scalar convert(const Scalar& a, DType to);

Scalar add(const Scalar& a, const Scalar& b);
Scalar subtract(const Scalar& a, const Scalar& b);
Scalar multiply(const Scalar& a, const Scalar& b);
Scalar divide_real(const Scalar& a, const Scalar& b);
// Rounded towards zero. A formula is assumed to be a size, which is never negative.
Scalar divide_whole(const Scalar& a, const Scalar& b);
Scalar modulo(const Scalar& a, const Scalar& b);     // sign of the divisor
Scalar remainder(const Scalar& a, const Scalar& b);  // sign of the dividend
Scalar power(const Scalar& a, const Scalar& b);
Scalar minimum(const Scalar& a, const Scalar& b);
Scalar maximum(const Scalar& a, const Scalar& b);

// 0, 1 or unknown. Formulas are compared by what holds for every size.
Scalar equal(const Scalar& a, const Scalar& b);
Scalar less(const Scalar& a, const Scalar& b);
Scalar at_most(const Scalar& a, const Scalar& b);
Scalar greater(const Scalar& a, const Scalar& b);
Scalar at_least(const Scalar& a, const Scalar& b);
Scalar logical_and(const Scalar& a, const Scalar& b);
Scalar logical_or(const Scalar& a, const Scalar& b);
Scalar logical_xor(const Scalar& a, const Scalar& b);
Scalar logical_not(const Scalar& a);
Scalar select(const Scalar& condition, const Scalar& yes, const Scalar& no);

Scalar negate(const Scalar& a);
Scalar absolute(const Scalar& a);
Scalar sign(const Scalar& a);
Scalar floor(const Scalar& a);
Scalar ceil(const Scalar& a);
Scalar round_half_even(const Scalar& a);
// Any function of a real number, for elements that are numbers.
template <double (*f)(double)>
Scalar real_function(const Scalar& a) {
  const auto number = a.number();
  return number ? Scalar::real(f(*number)) : unknown();
}

}  // namespace strata::scalar
