#include "document/people.h"

#include <fmt/format.h>

namespace strata {

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

std::vector<Section> sections_of(const Document& document) {
  if (!document.sections.empty()) return document.sections;
  std::vector<Section> sections;
  for (const Table& table : document.tables) sections.push_back({.table = table.name});
  if (!document.notes.empty()) sections.push_back(notes_section(document.notes));
  return sections;
}

}  // namespace strata
