// Fourier transforms, for families that have ones of their own.
#pragma once

#include "ops/cost_context.h"

namespace strata {

// So many transforms of this length; half the work if one side is real.
void fourier_cost(CostContext& c, const Expr& transforms, const Expr& length, bool one_side_real);

}  // namespace strata
