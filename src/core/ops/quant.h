// The cost of quantization, for the families that have such operators.
#pragma once

#include "ops/cost_context.h"

namespace strata {

// Real numbers to integers, per element: a division by the scale, a rounding, two comparisons with
// the ends of the range, and an addition if there is a zero point.
void quantize_work(CostContext& c, const Expr& count, bool zero_point);
// Integers to real numbers: a multiplication, and a subtraction if there is a zero point.
void dequantize_work(CostContext& c, const Expr& count, bool zero_point);
// Sums of an integer product to the integers of the output: like quantize_work, but with one
// multiplication by all scales together instead of the division.
void requantize_work(CostContext& c, const Expr& count);

}  // namespace strata
