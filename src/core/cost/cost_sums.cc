#include "cost/cost_sums.h"

namespace strata {

void add_to(NodeCost& a, const NodeCost& b, const Expr& times) { add_costs(a, b, times); }

}  // namespace strata
