// Rows compared by their costs.
#pragma once

#include "strata/compare/diff.h"

namespace strata::compare {

// True if value and certainty are equal; ignores intervals.
bool are_equal(const Figure& before, const Figure& after);
// True if the first row of each side has the output of the other, and no measure is known to
// differ.
bool has_same_costs(const Side& before, const Side& after, const RowDiff& row);

}  // namespace strata::compare
