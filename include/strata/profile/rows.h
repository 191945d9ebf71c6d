// The rows of a table, gathered from an analysis.
#pragma once

#include <string>
#include <vector>

#include "strata/profile/analysis.h"
#include "strata/profile/options.h"
#include "strata/profile/row.h"

namespace strata {

struct Rows {
  RowOptions options;
  RowList list;  // in running order
  Row totals;
  std::size_t hidden = 0;  // rows left out because they cost nothing
  std::uint64_t text_bytes =
      0;  // of all texts; above RowOptions::most_text_bytes, rows are missing
  std::vector<std::string> notes;  // what a reader should know of them, a sentence each

  // A module stands for several calls in one row.
  bool has_repeated_calls() const;
};

Rows make_rows(const Analysis& analysis, const RowOptions& options = {});

}  // namespace strata
