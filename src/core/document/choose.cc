#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/glob.h"
#include "document/cell_text.h"
#include "strata/document/table.h"

namespace strata {

namespace {

// A column as it is written and as people see it; one of the two may be missing.
struct Place {
  std::size_t written, shown;
  bool asked = false;  // by its name
};
constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

std::size_t place_in(const std::vector<Column>& columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].name == name) return i;
  return kNowhere;
}

Result<Place> find_column(const Table& table, std::string_view name) {
  const Place place{place_in(table.columns, name), place_in(table.shown_columns, name)};
  if (place.written != kNowhere || place.shown != kNowhere) return place;
  std::vector<std::string_view> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  for (const Column& column : table.shown_columns)
    if (place_in(table.columns, column.name) == kNowhere) names.push_back(column.name);
  return failure(
      Code::NoColumn,
      {.name = std::string(name), .found = fmt::format("{}", fmt::join(names, ", "))},
      fmt::format("there is no column \"{}\"; columns are: {}", name, fmt::join(names, ", ")));
}

// Where a chosen column comes from.
struct Source {
  bool is_shown;
  std::size_t index;
  bool asked;
};

void take_columns(const Table& old, const std::vector<Source>& sources,
                  std::vector<Column>& columns, std::vector<std::vector<Cell>>& rows,
                  std::vector<Cell>& totals) {
  columns.clear();
  rows.assign(old.rows.size(), {});
  totals.clear();
  for (const Source& source : sources) {
    columns.push_back((source.is_shown ? old.shown_columns : old.columns)[source.index]);
    columns.back().asked = columns.back().asked || source.asked;
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r].push_back((source.is_shown ? old.rows[r].shown : old.rows[r].cells)[source.index]);
    const auto& all = source.is_shown ? old.totals.shown : old.totals.cells;
    if (!all.empty()) totals.push_back(all[source.index]);
  }
  const auto adds_up = [](const Cell& cell) {
    return !std::holds_alternative<std::monostate>(cell.value) &&
           !std::holds_alternative<std::string>(cell.value);
  };
  if (std::none_of(totals.begin(), totals.end(), adds_up)) totals.clear();
}

// Those there are, changed by `+name` and `-name`, or the names alone.
Result<std::vector<Place>> chosen_places(const Table& table, std::string_view columns,
                                         bool for_people) {
  std::vector<Place> chosen;
  const auto same = [](const Place& a, const Place& b) {
    return a.written == b.written && a.shown == b.shown;
  };
  const bool changes = columns.starts_with('+') || columns.starts_with('-');
  if (changes) {
    const auto& usual =
        for_people && !table.shown_columns.empty() ? table.shown_columns : table.columns;
    for (const Column& column : usual)
      chosen.push_back(
          {place_in(table.columns, column.name), place_in(table.shown_columns, column.name)});
  }
  while (!columns.empty()) {
    const std::size_t comma = std::min(columns.find(','), columns.size());
    std::string_view word = columns.substr(0, comma);
    columns.remove_prefix(std::min(comma + 1, columns.size()));
    const bool remove = word.starts_with('-');
    if (remove || word.starts_with('+')) word.remove_prefix(1);
    const auto place = find_column(table, word);
    if (!place) return failure(place);
    const auto is_it = [&](const Place& other) { return same(other, *place); };
    const auto there = std::find_if(chosen.begin(), chosen.end(), is_it);
    if (changes && !remove && there != chosen.end()) {
      there->asked = true;
      continue;
    }
    std::erase_if(chosen, is_it);
    if (!remove) chosen.push_back({place->written, place->shown, true});
  }
  if (chosen.empty()) return failure(Code::NoColumn, {}, "no column is left to show");
  return chosen;
}

bool is_known(const Cell& cell) {
  return !cell.is_unknown() && cell.certainty != Certainty::Unknown;
}

// A formula counts with all its symbols 1.
std::optional<double> number_of(const Cell& cell) {
  if (!is_known(cell)) return std::nullopt;
  if (const auto* real = std::get_if<double>(&cell.value)) return *real;
  if (const auto* estimate = std::get_if<Estimate>(&cell.value)) return estimate->value;
  if (const auto* truth = std::get_if<bool>(&cell.value)) return *truth ? 1 : 0;
  if (const auto* exact = std::get_if<Expr>(&cell.value))
    return exact->evaluate([](std::string_view) { return std::optional(1.0); });
  return std::nullopt;
}

bool comes_before(const Cell& a, const Cell& b, bool is_text, bool turned) {
  if (is_text) {
    const std::string left = cell_text(a, Unit::Text, true), right = cell_text(b, Unit::Text, true);
    return turned ? right < left : left < right;
  }
  const auto left = number_of(a), right = number_of(b);
  if (!left || !right) return left.has_value() && !right;
  return turned ? *left < *right : *left > *right;
}

}  // namespace

Status select_columns(Table& table, std::string_view columns) {
  if (columns.empty()) return {};
  hold_rows(table);
  const auto written = chosen_places(table, columns, false);
  if (!written) return failure(written);
  const auto shown = chosen_places(table, columns, true);
  if (!shown) return failure(shown);
  const Table old = table;
  std::vector<Source> sources;
  std::vector<std::vector<Cell>> rows;
  for (const Place& place : *written)
    sources.push_back({place.written == kNowhere,
                       place.written == kNowhere ? place.shown : place.written, place.asked});
  take_columns(old, sources, table.columns, rows, table.totals.cells);
  for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].cells = std::move(rows[r]);
  if (old.shown_columns.empty()) return {};
  sources.clear();
  for (const Place& place : *shown)
    sources.push_back({place.shown != kNowhere,
                       place.shown != kNowhere ? place.shown : place.written, place.asked});
  take_columns(old, sources, table.shown_columns, rows, table.totals.shown);
  for (std::size_t r = 0; r < rows.size(); ++r) table.rows[r].shown = std::move(rows[r]);
  return {};
}

Status sort_rows(Table& table, std::string_view by) {
  if (by.empty()) return {};
  const bool turned = by.starts_with('-');
  if (turned) by.remove_prefix(1);
  const auto place = find_column(table, by);
  if (!place) return failure(place);
  hold_rows(table);
  table.edges = {};
  const bool is_shown = place->written == kNowhere;
  const std::size_t index = is_shown ? place->shown : place->written;
  const Column& column = (is_shown ? table.shown_columns : table.columns)[index];
  const bool is_text = column.unit == Unit::Text && column.type != ColumnType::Truth;
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const TableRow& a, const TableRow& b) {
    return is_shown ? comes_before(a.shown[index], b.shown[index], is_text, turned)
                    : comes_before(a.cells[index], b.cells[index], is_text, turned);
  });
  return {};
}

void keep_top(Table& table, std::size_t rows) {
  if (rows == 0 || rows >= row_count(table)) return;
  table.left_out += row_count(table) - rows;
  table.edges = {};
  if (table.source.make)
    table.source.count = rows;
  else
    table.rows.resize(rows);
}

void filter_rows(Table& table, std::string_view pattern) {
  if (pattern.empty()) return;
  hold_rows(table);
  const auto matches = [&](const TableRow& row) {
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].unit == Unit::Text && table.columns[i].type == ColumnType::Plain &&
          matches_glob(pattern, cell_text(row.cells[i], Unit::Text, true)))
        return true;
    return false;
  };
  const std::size_t removed =
      std::erase_if(table.rows, [&](const TableRow& row) { return !matches(row); });
  table.filtered += removed;
  if (removed > 0) table.edges = {};
}

// Rows are chosen before columns: a filter may look at a column that is not shown.
Status choose(Table& table, const TableChoice& choice) {
  if (auto status = sort_rows(table, choice.sort); !status) return status;
  filter_rows(table, choice.filter);
  keep_top(table, choice.top);
  return select_columns(table, choice.columns);
}

}  // namespace strata
