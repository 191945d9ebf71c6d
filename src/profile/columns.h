// The one table of columns.
#pragma once

#include <span>

#include "profile/rows.h"
#include "strata/profile/profile.h"

namespace strata {

inline constexpr std::string_view kTime = "--time";
inline constexpr std::string_view kMemory = "--memory";
inline constexpr std::string_view kRoofline = "--roofline";
inline constexpr std::string_view kView = "--view";

struct ColumnRule {
  std::string_view name;
  std::string_view title;
  Unit unit;
  bool additive;
  int priority;  // 0: never dropped; higher ones go first when a table is too wide
  bool usual;    // shown unless asked otherwise
  std::string_view about;
  Cell (*cell)(const Row&);
  std::string_view needs = {};  // the option without which there are no numbers
  // Usual in what was measured, where rows stand for several calls of a module.
  bool of_calls = false;
  // Usual where a model is seen as it really runs.
  bool of_optimized = false;
};

// What else than counting was asked for.
struct Asked {
  std::string_view device_memory;
  bool timed = false, traced = false, roofed = false;
  bool planned = false;    // it is known which kernels run
  bool optimized = false;  // and they are those of the optimized model
  bool has(std::string_view needs) const {
    return needs.empty() || needs == device_memory || (timed && needs == kTime) ||
           (traced && needs == kMemory) || (roofed && needs == kRoofline) ||
           (planned && needs == kView);
  }
};

std::span<const ColumnRule> column_rules();

// A number of the row's one call; nothing if it has none.
Cell device_cell(const Row& row, std::int64_t CallMemory::*field);

// A column as chosen: a rule, or the share of the total of an additive one (`macs%`).
struct ChosenColumn {
  const ColumnRule* rule;
  bool share = false;
  bool asked = false;  // by name: not dropped before those that nobody asked for
};

// The convention does not count it.
bool is_missing(const ChosenColumn& column, const Row& row);

// `layer,macs` lists them; `+energy,-flops` changes the usual list, which has the
// columns of what was asked for. An unknown name is a usage error that
// lists the names.
Result<std::vector<ChosenColumn>> choose_columns(std::string_view spec, bool all,
                                                 const Asked& asked);

}  // namespace strata
