// A cell as a person reads it.
#pragma once

#include <string>

#include "strata/document/table.h"

namespace strata {

// `?` for unknown; `≥` before a lower bound; `fused` for a time that is in another row.
std::string cell_text(const Cell& cell, Unit unit, bool exact);
// The text of a cell, safe to print; a very long one shows only its end, which tells names apart.
std::string shown_text(const Cell& cell, Unit unit, bool exact);
bool is_right_aligned(Unit unit);

}  // namespace strata
