// Cells that the columns of several tables have.
#pragma once

#include "strata/profile/profile.h"
#include "strata/profile/row.h"

namespace strata {

// A number of the row's one call on a device; nothing if it has none.
inline Cell device_cell(const Row& row, std::int64_t CallMemory::*field) {
  if (!row.device) return {};
  return {Expr(*row.device.*field), Certainty::Exact};
}

// Bytes that an engine took; nothing if that was not measured.
inline Cell taken_cell(const Row& row, std::int64_t TakenMemory::*field) {
  if (!row.figures.taken) return {};
  return {Expr(*row.figures.taken.*field), Certainty::Exact};
}

}  // namespace strata
