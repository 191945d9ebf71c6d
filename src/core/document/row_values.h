// Rows as other programs and charts want them: values by the names of columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/document/table.h"

namespace strata {

// In order. Rows of a tree that have others below them are left out.
std::vector<const TableRow*> leaves_of(const Table& table);

// A cell of a row by the name of its column; nullptr if there is none.
const Cell* cell_of(const Table& table, const TableRow& row, std::string_view column);
// A number that is known and finite, and no formula.
std::optional<double> number_of(const Table& table, const TableRow& row, std::string_view column);
// Empty if it is not known.
std::string text_of(const Table& table, const TableRow& row, std::string_view column);

}  // namespace strata
