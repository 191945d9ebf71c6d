#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/footer.h"
#include "strata/report/report.h"

namespace strata {

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char ch : text) {
    if (ch == '|' || ch == '\\') out += '\\';
    out += ch == '\n' ? ' ' : ch;
  }
  return out;
}

}  // namespace

std::string to_markdown(const Profile& profile, const TableStyle& style) {
  std::string out, rule;
  for (const Column& column : profile.columns) {
    out += fmt::format("| {} ", escaped(column.title));
    rule += is_right_aligned(column.unit) ? "|---:" : "|---";
  }
  out += "|\n" + rule + "|\n";
  const auto add_row = [&](const ProfileRow& row, bool total) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Column& column = profile.columns[i];
      const bool shown = !total || column.additive || column.name == "layer";
      std::string text = shown ? escaped(cell_text(row.cells[i], column.unit, style.exact)) : "";
      if (total && !text.empty()) text = fmt::format("**{}**", text);
      if (profile.report == ReportKind::Tree && column.name == "layer")
        for (std::uint32_t depth = 0; depth < row.depth; ++depth) text = "&nbsp;&nbsp;" + text;
      out += fmt::format("| {} ", text);
    }
    out += "|\n";
  };
  for (const ProfileRow& row : profile.rows) add_row(row, false);
  if (!profile.totals.cells.empty()) add_row(profile.totals, true);
  TableStyle unwrapped = style;
  unwrapped.width = 0;
  std::string footer = footer_text(profile, unwrapped);
  if (!footer.empty()) out += "\n";
  for (std::string_view rest = footer; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool inner = line.starts_with("  ");
    if (inner) line.remove_prefix(2);
    out += fmt::format("{}- {}\n", inner ? "  " : "", escaped(std::string(line)));
  }
  return out;
}

}  // namespace strata
