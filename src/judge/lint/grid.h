// A table of texts, as CSV, Markdown, HTML and printed pages have it, and what it claims.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/lint/claims.h"

namespace strata::lint {

struct Grid {
  std::string title = {};
  std::string about = {}, place = {};  // as in ClaimTable
  std::vector<std::string> headings = {};
  std::vector<std::vector<std::string>> rows = {};  // shorter ones lack their last cells
};

// Columns without numbers are labels; a row that is called `total` is one. Fails where no column
// has a meaning, or where there is too much of it.
Result<ClaimTable> claims_of_grid(const Grid& grid);
// Like above, for each grid. Tables that differ only in a word of a heading become one, whose rows
// have that word as a label. Tables with rows of the same name are never joined.
Result<std::vector<ClaimTable>> claims_of_grids(const std::vector<Grid>& grids);

}  // namespace strata::lint
