// The figures that readers look for first, whichever rows and columns a table has.
#pragma once

#include <optional>

#include "strata/profile/analysis.h"
#include "strata/profile/row.h"

namespace strata {

// `totals` are those of all layers. Names the largest layers only where numbers decide it: with
// open sizes there may be none.
Profile::Summary summary_of(const Analysis& analysis, const Figures& totals);

}  // namespace strata
