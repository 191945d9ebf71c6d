// The published layouts of other tools: their rows, and their columns in their
// order and with their names.
#pragma once

#include <vector>

#include "profile/columns.h"

namespace strata {

struct Layout {
  std::string_view name;
  std::string_view convention;
  bool one_row_a_module;  // a module called twice is one row, with one call's numbers
  std::span<const ColumnRule> columns;
  bool activations_only = false;  // rows are the outputs of activation functions
};

Result<const Layout*> find_layout(std::string_view name);

// Numbers the layers by stage and block, where the network is one that has such.
void number_blocks(Analysis& analysis);

// Modules only: these tools do not see what stands between modules.
std::vector<Row> layout_rows(const Layout& layout, std::vector<Row> rows);

}  // namespace strata
