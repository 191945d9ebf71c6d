// Tables as Markdown has them; lines become a list.
#include <fmt/format.h>

#include "document/cell_text.h"
#include "document/markdown_list.h"
#include "document/paths.h"
#include "document/people.h"
#include "strata/document/render.h"

namespace strata {

namespace {

constexpr std::string_view kMarks = "|\\*~<`";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char ch : text) {
    if (ch == '|' || ch == '\\') out += '\\';
    out += ch == '\n' ? ' ' : ch;
  }
  return out;
}

std::string row_text(const Table& table, const TableRow& row, const TableStyle& style) {
  const bool total = &row == &table.totals;
  const std::vector<Cell>& cells = cells_for_people(table, row);
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns_for_people(table)[i];
    if (column.type == ColumnType::List) continue;
    const bool shown = !total || column.additive || column.name == "layer";
    std::string text =
        shown ? escaped(cell_text(without_folders(cells[i], style), column.unit, style.exact)) : "";
    if (total && !text.empty()) text = fmt::format("**{}**", text);
    if (table.tree && column.name == "layer")
      for (std::uint32_t depth = 0; depth < row.depth; ++depth) text = "&nbsp;&nbsp;" + text;
    out += fmt::format("| {} ", text);
  }
  return out + "|\n";
}

std::string table_text(const Table& table, const TableStyle& style) {
  std::string out, rule;
  for (const Column& column : columns_for_people(table)) {
    if (column.type == ColumnType::List) continue;
    out += fmt::format("| {} ", escaped(column.title));
    rule += is_right_aligned(column.unit) ? "|---:" : "|---";
  }
  out += "|\n" + rule + "|\n";
  for (const TableRow& row : table.rows) out += row_text(table, row, style);
  if (has_totals(table)) out += row_text(table, table.totals, style);
  const std::string foot =
      (table.foot ? table.foot(style) : "") + left_out_text(table, style.phrase);
  if (!foot.empty()) out += "\n" + markdown_list(foot, kMarks);
  return out;
}

}  // namespace

std::string render_markdown(const Document& document, const TableStyle& given) {
  TableStyle style = given;
  style.width = 0;
  style.color = false;
  std::string out;
  bool in_list = false;
  for (const Section& section : sections_of(document)) {
    if (section.picture) continue;
    const Table* table = document.table(section.table);
    std::string text = table != nullptr    ? table_text(*table, style)
                       : !section.lines    ? ""
                       : section.verbatim  ? "```\n" + section.lines(style) + "```\n"
                       : section.paragraph ? section.lines(style)
                                           : markdown_list(section.lines(style), kMarks);
    if (text.empty()) continue;
    const bool is_list = table == nullptr && !section.paragraph && !section.verbatim;
    if (!out.empty() && !(in_list && is_list)) out += "\n";
    out += text;
    in_list = is_list || (table != nullptr && text.find("\n\n") != text.npos);
  }
  return out;
}

}  // namespace strata
