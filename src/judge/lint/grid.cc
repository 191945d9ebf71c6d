#include "lint/grid.h"

#include <algorithm>

#include <fmt/format.h>

#include "lint/heading.h"
#include "lint/number.h"
#include "lint/shape.h"
#include "strata/base/text_map.h"

namespace strata::lint {

namespace {

constexpr std::size_t kMaxColumns = 1000;
constexpr std::size_t kMaxRows = 1000000;

std::string_view cell(const std::vector<std::string>& row, std::size_t column) {
  return column < row.size() ? trimmed(row[column]) : std::string_view();
}

// Numbers, where there is anything.
bool has_numbers(const Grid& grid, std::size_t column) {
  bool any = false;
  for (const auto& row : grid.rows) {
    const std::string_view text = cell(row, column);
    if (text.empty() || text == "-" || text == "n/a") continue;
    if (!parse_number(text)) return false;
    any = true;
  }
  return any;
}

bool is_total(std::string_view name) {
  return name == "total" || name == "Total" || name == "TOTAL" || name == "Sum";
}

// The reading of a grid's columns.
struct Layout {
  std::vector<std::size_t> labels, numbers;
  std::vector<Heading> headings;  // as many as numbers
  std::size_t type = kNone, input = kNone, output = kNone;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

Layout layout_of(const Grid& grid) {
  Layout out;
  for (std::size_t c = 0; c < grid.headings.size(); ++c) {
    const TextColumn kind = text_column(grid.headings[c]);
    if (kind == TextColumn::Type) out.type = c;
    if (kind == TextColumn::Input) out.input = c;
    if (kind == TextColumn::Output) out.output = c;
    if (kind != TextColumn::None) continue;
    const Heading heading = parse_heading(grid.headings[c]);
    if (has_numbers(grid, c)) {
      out.numbers.push_back(c);
      out.headings.push_back(heading);
    } else if (heading.column.meaning == Meaning::Other) {
      out.labels.push_back(c);
    }
  }
  // A percentile or a deviation without a unit has that of the times beside it.
  double factor = 1;
  std::string unit;
  for (Heading& heading : out.headings) {
    if (heading.column.meaning != Meaning::Seconds) continue;
    if (heading.column.unit.empty()) {
      heading.factor = factor;
      heading.column.unit = unit;
    } else {
      factor = heading.factor;
      unit = heading.column.unit;
    }
  }
  return out;
}

// The word in `Model(traced)`.
std::string word_in(std::string_view heading) {
  const std::size_t open = heading.find('('), close = heading.find(')');
  if (open == heading.npos || close == heading.npos || close < open) return {};
  return std::string(heading.substr(open + 1, close - open - 1));
}

ClaimRow row_of(const Grid& grid, const Layout& layout, const std::vector<std::string>& cells) {
  ClaimRow row;
  for (std::size_t c : layout.labels) row.labels.emplace_back(cell(cells, c));
  for (std::size_t c : layout.labels)
    if (const std::string word = word_in(grid.headings[c]); !word.empty())
      row.labels.push_back(word);
  for (const std::string& label : row.labels)
    if (!label.empty()) row.name += (row.name.empty() ? "" : " / ") + label;
  if (layout.type != Layout::kNone) row.type = std::string(cell(cells, layout.type));
  if (layout.input != Layout::kNone) row.inputs = parse_shapes(cell(cells, layout.input));
  if (layout.output != Layout::kNone) row.outputs = parse_shapes(cell(cells, layout.output));
  for (std::size_t i = 0; i < layout.numbers.size(); ++i) {
    auto number = parse_number(cell(cells, layout.numbers[i]));
    if (number) {
      number->value *= layout.headings[i].factor;
      number->rounding *= layout.headings[i].factor;
    }
    row.numbers.push_back(number);
  }
  return row;
}

bool same_columns(const ClaimTable& a, const ClaimTable& b) {
  return std::equal(a.columns.begin(), a.columns.end(), b.columns.begin(), b.columns.end(),
                    [](const auto& x, const auto& y) { return x.title == y.title; }) &&
         a.label_titles.size() == b.label_titles.size();
}

}  // namespace

Result<ClaimTable> claims_of_grid(const Grid& grid) {
  if (grid.headings.size() > kMaxColumns)
    return failure(fmt::format("a table has more than {} columns", kMaxColumns));
  if (grid.rows.size() > kMaxRows)
    return failure(fmt::format("a table has more than {} rows", kMaxRows));
  const Layout layout = layout_of(grid);
  ClaimTable table;
  table.title = grid.title;
  table.about = grid.about;
  table.place = grid.place;
  for (std::size_t c : layout.labels) table.label_titles.push_back(grid.headings[c]);
  bool known = false;
  for (const Heading& heading : layout.headings) {
    table.columns.push_back(heading.column);
    known = known || heading.column.meaning != Meaning::Other;
  }
  if (!known)
    return failure("no column has a heading that is known, such as FLOPs or Latency (ms)");
  for (const auto& cells : grid.rows) {
    ClaimRow row = row_of(grid, layout, cells);
    const bool total = is_total(row.name) || (!cells.empty() && is_total(trimmed(cells.front())));
    (total ? table.totals : table.rows).push_back(std::move(row));
  }
  return table;
}

Result<std::vector<ClaimTable>> claims_of_grids(const std::vector<Grid>& grids) {
  std::vector<ClaimTable> tables;
  TextSet<std::string> names;  // of the rows of the last table
  std::string problem = "there is no table in it";
  for (const Grid& grid : grids) {
    auto table = claims_of_grid(grid);
    if (!table) {
      problem = table.error().message;
      continue;
    }
    std::size_t first = 0;  // of the rows that this table adds
    const bool has_new_rows =
        std::none_of(table->rows.begin(), table->rows.end(),
                     [&](const ClaimRow& row) { return names.contains(row.name); });
    if (!tables.empty() && same_columns(tables.back(), *table) && tables.back().totals.empty() &&
        tables.back().title == table->title && has_new_rows) {
      auto& rows = tables.back().rows;
      first = rows.size();
      rows.insert(rows.end(), table->rows.begin(), table->rows.end());
      tables.back().totals = std::move(table->totals);
      if (tables.back().about != table->about) tables.back().about.clear();
    } else {
      tables.push_back(std::move(*table));
      names.clear();
    }
    const auto& rows = tables.back().rows;
    for (; first < rows.size(); ++first) names.insert(rows[first].name);
  }
  if (tables.empty()) return failure(problem);
  return tables;
}

}  // namespace strata::lint
