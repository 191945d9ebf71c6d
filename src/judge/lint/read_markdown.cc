// Tables in Markdown: a line of headings, a line of dashes, lines of cells.
#include <algorithm>

#include <fmt/format.h>

#include "lint/grid.h"
#include "lint/number.h"
#include "lint/readers.h"

namespace strata::lint {

namespace {

// `a | b \| c`, also with bars at both ends.
std::vector<std::string> cells_of(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|') && !line.ends_with("\\|")) line.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|')
      cells.back() += line[++i];
    else if (line[i] == '|')
      cells.emplace_back();
    else
      cells.back() += line[i];
  }
  for (std::string& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

// `---|:-:|--`
bool is_rule(std::string_view line) {
  line = trimmed(line);
  return line.find("--") != line.npos && line.find('|') != line.npos &&
         line.find_first_not_of("-|: ") == line.npos;
}

// `MobileNetV2` of `## MobileNetV2 ##`
std::string_view text_of_heading(std::string_view line) {
  const std::size_t first = std::min(line.find_first_not_of('#'), line.size());
  const std::size_t last = line.find_last_not_of('#');
  return last < first || last == line.npos ? "" : trimmed(line.substr(first, last + 1 - first));
}

}  // namespace

bool looks_like_markdown(std::string_view text) {
  for (std::string_view line : lines_of(text.substr(0, std::size_t{1} << 16)))
    if (is_rule(line)) return true;
  return false;
}

Result<Claims> read_markdown(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  std::vector<Grid> grids;
  std::string_view heading;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i - 1].starts_with('#')) heading = text_of_heading(lines[i - 1]);
    if (!is_rule(lines[i]) || lines[i - 1].find('|') == std::string_view::npos) continue;
    Grid& grid = grids.emplace_back();
    grid.about = std::string(heading);
    grid.place = fmt::format("line {}", i);
    grid.headings = cells_of(lines[i - 1]);
    while (i + 1 < lines.size() && lines[i + 1].find('|') != std::string_view::npos)
      grid.rows.push_back(cells_of(lines[++i]));
  }
  auto tables = claims_of_grids(grids);
  if (!tables) return failure(tables);
  return Claims{.file = {}, .format = {}, .tables = std::move(*tables)};
}

}  // namespace strata::lint
