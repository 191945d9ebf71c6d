#include "document/people.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/paths.h"

namespace strata {

namespace {

// Of two rows that agree in something, a reader still wants to see that they do.
constexpr std::size_t kFewestConstant = 3;

}  // namespace

const std::vector<Column>& columns_for_people(const Table& table) {
  return table.shown_columns.empty() ? table.columns : table.shown_columns;
}

const std::vector<Cell>& cells_for_people(const Table& table, const TableRow& row) {
  return table.shown_columns.empty() ? row.cells : row.shown;
}

bool has_totals(const Table& table) { return !cells_for_people(table, table.totals).empty(); }

std::string left_out_text(const Table& table, const Phrase& phrase) {
  const std::size_t matching = table.left_out + table.rows.size();
  std::string lines;
  if (table.filtered > 0)
    lines = fmt::format("{} of {} rows are left out by the filter\n", table.filtered,
                        table.filtered + matching);
  if (table.left_out == 0) return lines;
  const std::string text = fmt::format("{} of {}{} rows are not shown", table.left_out,
                                       table.filtered > 0 ? "the other " : "", matching);
  return lines + phrased(phrase, make_error(Code::RowsBelowTop, {}, text)) + "\n";
}

std::vector<bool> constant_columns(const Table& table, const TableStyle& style) {
  const std::vector<Column>& columns = columns_for_people(table);
  std::vector<bool> constant(columns.size(), false);
  if (table.rows.size() < kFewestConstant) return constant;
  std::size_t left = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const bool stays = column.additive || column.share || column.asked || column.title.empty() ||
                       column.type == ColumnType::List;
    const auto text_of = [&](const TableRow& row) {
      return shown_text(cells_for_people(table, row)[c], column.unit, style.exact);
    };
    const std::string first = stays ? "" : text_of(table.rows.front());
    constant[c] =
        !first.empty() && std::all_of(table.rows.begin() + 1, table.rows.end(),
                                      [&](const TableRow& row) { return text_of(row) == first; });
    left += constant[c] || column.type == ColumnType::List ? 0 : 1;
  }
  if (left == 0) constant.assign(columns.size(), false);  // rows that are all alike
  return constant;
}

std::string constants_line(const Table& table, const TableStyle& style) {
  const std::vector<Column>& columns = columns_for_people(table);
  const std::vector<bool> constant = constant_columns(table, style);
  const std::string_view start = table.left_out > 0 ? "In every row shown:" : "In every row:";
  std::string line;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!constant[c]) continue;
    const Cell& cell = cells_for_people(table, table.rows.front())[c];
    line += fmt::format("{} {} {}", line.empty() ? start : ";", visible(columns[c].title),
                        shown_text(without_folders(cell, style), columns[c].unit, style.exact));
  }
  return line.empty() ? "" : line + "\n";
}

std::vector<Section> sections_of(const Document& document) {
  if (!document.sections.empty()) return document.sections;
  std::vector<Section> sections;
  for (const Table& table : document.tables) sections.push_back({.table = table.name});
  if (!document.notes.empty()) sections.push_back(notes_section(document.notes));
  return sections;
}

}  // namespace strata
