// Columns: their names, the data that they need, and how a cell is made from a row.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "strata/profile/needs.h"
#include "strata/profile/profile.h"
#include "strata/profile/rows.h"

namespace strata {

struct ColumnRule {
  std::string_view name;
  std::string_view title;
  Unit unit;
  bool additive;
  int priority;  // 0: never dropped; higher ones go first when a table is too wide
  bool usual;    // shown unless asked otherwise
  std::string_view about;
  Cell (*cell)(const Row&);
  Needs needs = {};
  // Shown by default for measured models if rows stand for several calls of a module.
  bool of_calls = false;
  // Shown by default if the model is viewed as the engine runs it.
  bool of_optimized = false;
};

// All columns, except those of other tools' layouts.
std::span<const ColumnRule> column_rules();

// A column as chosen: a rule, or the share of the total of an additive one (`macs%`).
struct ChosenColumn {
  const ColumnRule* rule;
  bool share = false;
  bool asked = false;  // by name: not dropped before those that nobody asked for
};

// Returns the sources that the numbers of these columns need.
Needs needs_of(std::span<const ChosenColumn> columns);

// Returns the needs of a table of this view, or all needs if they are not known, as in a layout.
Needs needs_of(const ProfileView& view);

// `layer,macs` lists them; `+energy,-flops` changes the usual list, which has the columns that
// the analysis can fill. `all` is for machine output. An unknown name is a usage error that lists
// the names.
// A column that needs `missed` data may be named: its cells are unknown.
Result<std::vector<ChosenColumn>> choose_columns(std::string_view spec, bool all, Needs has,
                                                 bool optimized = false, Needs missed = {});

// The last stage makes the cells. Shares refer to the rows' totals. Rows that are moved in are
// freed one by one, so that a large table and its rows need not be in memory together.
Profile make_profile(const Analysis& analysis, const Rows& rows,
                     std::span<const ChosenColumn> columns);
Profile make_profile(const Analysis& analysis, Rows&& rows, std::span<const ChosenColumn> columns);

}  // namespace strata
