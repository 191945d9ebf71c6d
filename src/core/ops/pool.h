// Pools, for families that have ones of their own.
#pragma once

#include "ops/cost_context.h"

namespace strata {

// The greatest of `window` elements for each output.
void max_of_window(CostContext& c, const Expr& window);
// Their sum and a division.
void average_of_window(CostContext& c, const Expr& window);

}  // namespace strata
