// Tables as Markdown has them; lines become a list.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/cell_text.h"
#include "document/markdown_list.h"
#include "document/paths.h"
#include "document/people.h"
#include "strata/document/render.h"

namespace strata {

namespace {

std::string escaped(const std::string& text) { return markdown_text(visible(text)); }

std::string row_text(const Table& table, const TableRow& row, const std::vector<bool>& constant,
                     const TableStyle& style) {
  const bool total = &row == &table.totals;
  const std::vector<Cell>& cells = cells_for_people(table, row);
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = columns_for_people(table)[i];
    if (column.type == ColumnType::List || constant[i]) continue;
    const bool shown = !total || column.additive || column.name == "layer";
    std::string text =
        shown
            ? markdown_text(shown_text(without_folders(cells[i], style), column.unit, style.exact))
            : "";
    if (total && !text.empty()) text = fmt::format("**{}**", text);
    std::string indent;
    if (table.tree && column.name == "layer")
      for (std::uint32_t depth = 0; depth < row.depth; ++depth) indent += "&nbsp;&nbsp;";
    out += fmt::format("| {}{} ", indent, text);
  }
  return out + "|\n";
}

Status write_rows(const Table& table, const TableStyle& style, Sink& sink) {
  const std::vector<bool> constant = constant_columns(table, style);
  std::string text, rule;
  if (const std::string line = constants_line(table, constant, style); !line.empty())
    text = markdown_text(line) + "\n";
  for (std::size_t i = 0; i < constant.size(); ++i) {
    const Column& column = columns_for_people(table)[i];
    if (column.type == ColumnType::List || constant[i]) continue;
    text += fmt::format("| {} ", escaped(column.title));
    rule += is_right_aligned(column.unit) ? "|---:" : "|---";
  }
  text += "|\n" + rule + "|\n";
  Status status;
  for_each_row(table, [&](const TableRow& row) {
    text += row_text(table, row, constant, style);
    status = sink.write(std::exchange(text, {}));
    return status.has_value();
  });
  if (!status) return status;
  if (has_totals(table)) text += row_text(table, table.totals, constant, style);
  return sink.write(text);
}

std::string list_below(const Table& table, const TableStyle& style) {
  const std::string foot = foot_of(table, style, true) + left_out_text(table, style.phrase);
  return foot.empty() ? "" : "\n" + markdown_list(visible_lines(foot));
}

// A fence that is longer than any in the text.
std::string code_block(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != text.npos) fence += '`';
  return fence + "\n" + text + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string lines_text(const Section& section, const TableStyle& style) {
  const std::string text = visible_lines(lines_of(section, style, true));
  if (text.empty()) return "";
  if (section.verbatim) return code_block(text);
  if (!section.paragraph) return markdown_list(text);
  std::string out;
  for (std::string_view left = text; !left.empty();) {
    const std::size_t end = std::min(left.find('\n'), left.size() - 1) + 1;
    out += markdown_text(left.substr(0, end));
    left.remove_prefix(end);
  }
  return out;
}

}  // namespace

Status write_markdown(const Document& document, const TableStyle& given, Sink& sink) {
  TableStyle style = given;
  style.width = 0;
  style.color = false;
  bool first = true, in_list = false;
  for (const Section& section : sections_of(document)) {
    if (section.picture) continue;
    const Table* table = document.table(section.table);
    const std::string text =
        table != nullptr ? list_below(*table, style) : lines_text(section, style);
    if (table == nullptr && text.empty()) continue;
    const bool is_list = table == nullptr && !section.paragraph && !section.verbatim;
    const bool gap = !std::exchange(first, false) && !(in_list && is_list);
    if (gap)
      if (Status status = sink.write("\n"); !status) return status;
    if (table != nullptr)
      if (Status status = write_rows(*table, style, sink); !status) return status;
    if (Status status = sink.write(text); !status) return status;
    in_list = is_list || (table != nullptr && !text.empty());
  }
  return {};
}

}  // namespace strata
