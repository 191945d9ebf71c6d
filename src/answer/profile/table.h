// The parts of make_profile().
#pragma once

#include <span>

#include "strata/profile/columns.h"

namespace strata {

// All but the cells of rows and of totals.
Profile profile_without_rows(const Analysis& analysis, const Rows& rows,
                             std::span<const ChosenColumn> columns);

// Replaces what is in `out`. `totals` are the cells of the row of totals, before shares are taken;
// empty: these are they.
void set_cells(const Row& row, std::span<const ChosenColumn> columns, std::span<const Cell> totals,
               ProfileRow& out);

}  // namespace strata
