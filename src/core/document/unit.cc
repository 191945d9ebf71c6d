#include <array>

#include <fmt/format.h>

#include "document/column_names.h"
#include "strata/document/table.h"

namespace strata {

namespace {

// In the order of the enum.
constexpr std::array<std::string_view, 14> kUnits = {"text",
                                                     "count",
                                                     "macs",
                                                     "flops",
                                                     "bytes",
                                                     "mebibytes",
                                                     "picojoules",
                                                     "seconds",
                                                     "flops_per_second",
                                                     "bytes_per_second",
                                                     "flops_per_byte",
                                                     "number",
                                                     "decibels",
                                                     "percent"};
static_assert(kUnits.size() == static_cast<std::size_t>(Unit::Percent) + 1);

constexpr std::array<std::string_view, 5> kTypes = {"plain", "estimate", "shapes", "truth", "list"};
static_assert(kTypes.size() == static_cast<std::size_t>(ColumnType::List) + 1);

}  // namespace

std::string_view name_of(Unit unit) { return kUnits.at(static_cast<std::size_t>(unit)); }

std::string_view name_of(ColumnType type) { return kTypes.at(static_cast<std::size_t>(type)); }

std::optional<Unit> unit_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kUnits.size(); ++i)
    if (kUnits[i] == name) return static_cast<Unit>(i);
  return std::nullopt;
}

std::string with_word(std::string_view name, std::string_view word) {
  for (const std::string_view unit : {"_s", "_db", "_bytes", "_percent"})
    if (name.ends_with(unit))
      return fmt::format("{}_{}{}", name.substr(0, name.size() - unit.size()), word, unit);
  return fmt::format("{}_{}", name, word);
}

}  // namespace strata
