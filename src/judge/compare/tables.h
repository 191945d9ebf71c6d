// The tables of a comparison.
#pragma once

#include "strata/compare/document.h"

namespace strata::compare {

// A row for each measure that a side has, of every side but the first.
Table totals_table(const Comparison& comparison);
// A row for each group of rows that belong together.
Table layers_table(const Comparison& comparison, const DiffTables& which);

}  // namespace strata::compare
