// What quantizing costs, for the families that have such operators.
#pragma once

#include "ops/cost_context.h"

namespace strata {

// Real numbers into integers, element by element: a division by the scale, a rounding,
// two comparisons against the ends of the range, and an addition if there is a zero point.
void quantize_work(CostContext& c, const Expr& count, bool zero_point);
// Integers into real numbers: a multiplication, and a subtraction if there is a zero point.
void dequantize_work(CostContext& c, const Expr& count, bool zero_point);
// The sums of an integer product into the integers of the output: as quantize_work, with
// one multiplication by all scales together in place of the division.
void requantize_work(CostContext& c, const Expr& count);

}  // namespace strata
