// Tables whose rows are made when they are read.
#pragma once

#include <vector>

#include "strata/profile/columns.h"

namespace strata {

// True if each row of this view follows from one call or node, whatever the others are.
bool can_go_row_by_row(const Analysis& analysis, const ProfileView& view);

// The rows of such a view: their totals, notes and number of hidden ones, with an empty list.
struct RowNumbers {
  Rows rows;
  std::vector<std::uint32_t> listed;  // layers, or indices into Costs::nodes
};
RowNumbers number_rows(const Analysis& analysis, const RowOptions& options);

// At least as many bytes as the names of these rows have together.
std::uint64_t most_name_bytes(const Analysis& analysis, const RowNumbers& numbers);

// A table that reads the analysis for each row.
Profile make_row_by_row(const Analysis& analysis, RowNumbers numbers,
                        std::span<const ChosenColumn> columns);

}  // namespace strata
