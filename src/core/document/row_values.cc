#include "document/row_values.h"

#include <cmath>

#include "document/cell_text.h"

namespace strata {

std::vector<const TableRow*> leaves_of(const Table& table) {
  std::vector<const TableRow*> out;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool holds =
        table.tree && i + 1 < table.rows.size() && table.rows[i + 1].depth > table.rows[i].depth;
    if (!holds) out.push_back(&table.rows[i]);
  }
  return out;
}

const Cell* cell_of(const Table& table, const TableRow& row, std::string_view column) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == column) return &row.cells[i];
  return nullptr;
}

std::optional<double> number_of(const Table& table, const TableRow& row, std::string_view column) {
  const Cell* cell = cell_of(table, row, column);
  if (cell == nullptr || cell->certainty == Certainty::Unknown) return std::nullopt;
  if (const auto* real = std::get_if<double>(&cell->value))
    return std::isfinite(*real) ? std::optional(*real) : std::nullopt;
  if (const auto* estimate = std::get_if<Estimate>(&cell->value)) return estimate->value;
  const auto* whole = std::get_if<Expr>(&cell->value);
  if (whole == nullptr || !whole->is_number()) return std::nullopt;
  return static_cast<double>(whole->value());
}

std::string text_of(const Table& table, const TableRow& row, std::string_view column) {
  const Cell* cell = cell_of(table, row, column);
  return cell == nullptr || cell->is_unknown() ? "" : cell_text(*cell, Unit::Text, true);
}

}  // namespace strata
