// Finds the rows that are parts of other rows.
#pragma once

#include <string_view>

#include "strata/lint/claims.h"

namespace strata::lint {

// A row's parent is the one whose name, followed by one of `separators`, begins the row's; of
// several the longest.
void nest_by_names(ClaimTable& table, std::string_view separators);

}  // namespace strata::lint
