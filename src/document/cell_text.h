// A cell as a person reads it.
#pragma once

#include <string>

#include "strata/document/table.h"

namespace strata {

// `?` for unknown; `≥` before a lower bound.
std::string cell_text(const Cell& cell, Unit unit, bool exact);
// The same, safe to print, and of a very long text only the end, which tells names apart.
std::string shown_text(const Cell& cell, Unit unit, bool exact);
bool is_right_aligned(Unit unit);

}  // namespace strata
