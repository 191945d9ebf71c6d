#include "document/people.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/paths.h"

namespace strata {

namespace {

// With only two rows that agree in something, a reader still wants to see that they do.
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
  const std::size_t matching = table.left_out + row_count(table);
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
  if (row_count(table) < kFewestConstant) return constant;
  std::vector<std::size_t> alike;  // columns whose cells have been so, up to now
  std::vector<std::string> first(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const bool stays = column.additive || column.share || column.asked || column.title.empty() ||
                       column.type == ColumnType::List;
    if (!stays) alike.push_back(c);
  }
  bool is_first = true;
  for_each_row(table, [&](const TableRow& row) {
    std::erase_if(alike, [&](std::size_t c) {
      std::string text = shown_text(cells_for_people(table, row)[c], columns[c].unit, style.exact);
      if (!is_first) return text != first[c];
      first[c] = std::move(text);
      return first[c].empty();
    });
    is_first = false;
    return !alike.empty();
  });
  for (const std::size_t c : alike) constant[c] = true;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!constant[c] && columns[c].type != ColumnType::List) return constant;
  constant.assign(columns.size(), false);  // rows that are all alike
  return constant;
}

std::string constants_line(const Table& table, const std::vector<bool>& constant,
                           const TableStyle& style) {
  if (std::find(constant.begin(), constant.end(), true) == constant.end()) return "";
  const std::vector<Column>& columns = columns_for_people(table);
  const std::string_view start = table.left_out > 0 ? "In every row shown:" : "In every row:";
  std::string line;
  for_each_row(table, [&](const TableRow& row) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!constant[c]) continue;
      const Cell& cell = cells_for_people(table, row)[c];
      line += fmt::format("{} {} {}", line.empty() ? start : ";", visible(columns[c].title),
                          shown_text(without_folders(cell, style), columns[c].unit, style.exact));
    }
    return false;  // the others say the same
  });
  return line + "\n";
}

std::string lines_of(const Section& section, const TableStyle& style, bool with_asides) {
  std::string lines = section.lines ? section.lines(style) : "";
  if (with_asides && section.asides) lines += section.asides(style);
  return lines;
}

std::string foot_of(const Table& table, const TableStyle& style, bool with_asides) {
  std::string lines = table.foot ? table.foot(style) : "";
  if (with_asides && table.asides) lines += table.asides(style);
  return lines;
}

std::vector<Section> sections_of(const Document& document) {
  if (!document.sections.empty()) return document.sections;
  std::vector<Section> sections;
  for (const Table& table : document.tables) sections.push_back({.table = table.name});
  if (!document.notes.empty()) sections.push_back(notes_section(document.notes));
  return sections;
}

}  // namespace strata
