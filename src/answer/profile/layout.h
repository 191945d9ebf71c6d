// The published layouts of other tools: their rows, and their columns in their
// order and with their names.
#pragma once

#include <span>
#include <string_view>

#include "strata/profile/columns.h"

namespace strata {

struct Layout {
  std::string_view name;
  std::string_view convention;
  RowChoice rows;
  std::span<const ColumnRule> columns;
};

Result<const Layout*> find_layout(std::string_view name);

}  // namespace strata
