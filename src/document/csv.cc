#include <algorithm>

#include <fmt/format.h>

#include "document/cell_text.h"
#include "document/column_names.h"
#include "document/paths.h"
#include "strata/document/render.h"

namespace strata {

namespace {

// RFC 4180: quoted if it holds a comma, a quote or a line break.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string out = "\"";
  for (const char ch : text) {
    if (ch == '"') out += '"';
    out += ch;
  }
  return out + "\"";
}

// Plain digits; a formula as text; nothing for unknown; `>=` before a lower bound.
std::string csv_cell(const Cell& cell) {
  std::string text;
  if (const auto* expr = std::get_if<Expr>(&cell.value))
    text = expr->is_unknown() ? "" : expr->text();
  else if (const auto* real = std::get_if<double>(&cell.value))
    text = fmt::format("{}", *real);
  else if (const auto* truth = std::get_if<bool>(&cell.value))
    text.assign(1, *truth ? '1' : '0');
  else if (!cell.is_unknown())
    return quoted(cell_text(cell, Unit::Text, true));
  if (text.empty() || cell.certainty == Certainty::Unknown) return "";
  return quoted(cell.certainty == Certainty::LowerBound ? ">=" + text : text);
}

// The number and the two ends of its interval.
std::string csv_estimate(const Cell& cell) {
  const auto* estimate = std::get_if<Estimate>(&cell.value);
  if (estimate == nullptr) return csv_cell(cell) + ",,";
  return fmt::format("{},{},{}", estimate->value, estimate->low, estimate->high);
}

std::string header_of(const Column& column) {
  if (column.type != ColumnType::Estimate) return quoted(column.name);
  return fmt::format("{},{},{}", quoted(column.name), quoted(with_word(column.name, "low")),
                     quoted(with_word(column.name, "high")));
}

bool same_columns(const Table& a, const Table& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const Column& x, const Column& y) { return x.name == y.name; });
}

template <class TextOf>
std::string line_of(const Table& table, const TextOf& text_of) {
  std::string out;
  std::string_view comma = "";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].type == ColumnType::List) continue;
    out += comma;
    out += text_of(i);
    comma = ",";
  }
  return out + "\n";
}

}  // namespace

// The first table, and behind it the rows of those that have the very same columns.
std::string render_csv(const Document& document, const TableStyle& style) {
  if (document.tables.empty()) return "";
  const Table& first = document.tables.front();
  std::string out = line_of(first, [&](std::size_t i) { return header_of(first.columns[i]); });
  for (const Table& table : document.tables) {
    if (!same_columns(table, first)) continue;
    for (const TableRow& row : table.rows)
      out += line_of(table, [&](std::size_t i) {
        const Cell cell = without_folders(row.cells[i], style);
        return table.columns[i].type == ColumnType::Estimate ? csv_estimate(cell) : csv_cell(cell);
      });
  }
  return out;
}

}  // namespace strata
