#include "compare/tables.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compare/text.h"

namespace strata::compare {

namespace {

// The last part of a path, for headings.
std::string short_label(const std::string& label) {
  const std::size_t slash = label.rfind('/');
  return slash == label.npos ? label : label.substr(slash + 1);
}

Cell ratio_cell(const Change& change) {
  if (!change.ratio) return {};
  if (!change.ratio_interval) return *change.ratio;
  return Estimate{*change.ratio, change.ratio_interval->low, change.ratio_interval->high};
}

bool is_estimated(Measure measure) {
  return measure == Measure::Latency || measure == Measure::Quality;
}

bool is_in_rows(const Comparison& comparison, Measure measure) {
  return std::any_of(comparison.sides.begin(), comparison.sides.end(), [&](const Side& side) {
    return std::any_of(side.rows.begin(), side.rows.end(),
                       [&](const SideRow& row) { return at(row.figures, measure).is_known(); });
  });
}

// All that differs between the two layers is known to differ somewhere: spares most rows of a large
// table a second look.
bool says_nothing_new(const Side& before, const Side& after, const RowDiff& row,
                      const std::array<bool, kMeasures>& known) {
  if (row.before.size() != 1 || row.after.size() != 1) return false;
  const FigureSet& left = before.rows[row.before[0]].figures;
  const FigureSet& right = after.rows[row.after[0]].figures;
  for (std::size_t m = 0; m < kMeasures; ++m) {
    if (known[m] || (!left[m].is_known() && !right[m].is_known())) continue;
    if (left[m].certainty != right[m].certainty || left[m].real != right[m].real ||
        !(left[m].real || left[m].count == right[m].count))
      return false;
  }
  return true;
}

// Counts that say most about a layer are always shown, others where one changed.
std::array<bool, kMeasures> worth_showing(const Comparison& comparison) {
  std::array<bool, kMeasures> out = {};
  for (const MeasureFacts& facts : measures())
    out[static_cast<std::size_t>(facts.measure)] = facts.measure == Measure::Params ||
                                                   facts.measure == Measure::Macs ||
                                                   is_estimated(facts.measure);
  for (const Diff& diff : comparison.diffs)
    for (const RowDiff& row : diff.rows) {
      const Side &before = comparison.sides[diff.before], &after = comparison.sides[diff.after];
      if (row.is_unchanged() || says_nothing_new(before, after, row, out)) continue;
      for (const MeasureFacts& facts : measures()) {
        bool& known = out[static_cast<std::size_t>(facts.measure)];
        known = known || (facts.of_rows &&
                          change_of_row(before, after, row, facts.measure).is_known_change());
      }
    }
  return out;
}

// Returns how early a column is left out of a narrow table.
int priority_of(Measure measure) {
  switch (measure) {
    case Measure::Macs:
    case Measure::Latency:
    case Measure::Quality:
      return 1;
    case Measure::Params:
      return 2;
    case Measure::Flops:
      return 5;
    case Measure::Read:
    case Measure::Write:
      return 6;
    default:
      return 7;
  }
}

// That all rows agree is what a comparison finds.
void keep_all(std::vector<Column>& columns) {
  for (Column& column : columns) column.asked = true;
}

void add_measure(const MeasureFacts& facts, std::vector<Column>& columns) {
  const std::string name(facts.name), title(facts.title);
  const ColumnType type = is_estimated(facts.measure) ? ColumnType::Estimate : ColumnType::Plain;
  columns.push_back(
      {.name = name + "_before", .title = title + " before", .unit = facts.unit, .type = type});
  columns.push_back(
      {.name = name + "_after", .title = title + " after", .unit = facts.unit, .type = type});
  columns.push_back({.name = name + "_change", .title = title + " change", .unit = facts.unit});
  if (facts.measure == Measure::Latency)
    columns.push_back({.name = name + "_ratio",
                       .title = title + " ratio",
                       .unit = Unit::Number,
                       .type = ColumnType::Estimate});
  if (is_estimated(facts.measure))
    columns.push_back({.name = name + "_verdict", .title = title + " verdict"});
}

void add_cells(const Change& change, Measure measure, std::vector<Cell>& cells) {
  cells.push_back(cell_of(change.before));
  cells.push_back(cell_of(change.after));
  cells.push_back(cell_of(change.difference));
  if (measure == Measure::Latency) cells.push_back(ratio_cell(change));
  if (is_estimated(measure)) cells.emplace_back(name_of(change.verdict));
}

// `old → new`, or one of them where they are equal or there is no other.
std::string arrow(const std::string& before, const std::string& after) {
  if (before == after || after.empty()) return before;
  return before.empty() ? after : fmt::format("{} → {}", before, after);
}

// Joined layers have all their types named on one side already.
std::string shown_type(const RowDiff& row, const std::string& before, const std::string& after) {
  if (row.change == RowChange::Fused) return after;
  return row.change == RowChange::Split ? before : arrow(before, after);
}

}  // namespace

Table totals_table(const Comparison& comparison) {
  Table table{
      .name = "totals",
      .columns = {
          {.name = "file", .title = "File"},
          {.name = "measure", .title = "Total"},
          {.name = "unit", .title = "Unit"},
          {.name = "before", .title = "Before", .unit = Unit::Number, .type = ColumnType::Estimate},
          {.name = "after", .title = "After", .unit = Unit::Number, .type = ColumnType::Estimate},
          {.name = "change", .title = "Change", .unit = Unit::Number},
          {.name = "ratio", .title = "Ratio", .unit = Unit::Number, .type = ColumnType::Estimate},
          {.name = "verdict", .title = "Verdict"}}};
  const bool has_several = comparison.diffs.size() > 1;
  // Numbers of several units stand in one column: as texts, to the right as numbers are.
  const auto number = [](std::string name, std::string title) {
    return Column{.name = std::move(name), .title = std::move(title), .unit = Unit::Number};
  };
  const auto& sides = comparison.sides;
  table.shown_columns = {{.name = "measure", .title = "Total"},
                         number("before", short_label(sides.front().label))};
  if (has_several) table.shown_columns.insert(table.shown_columns.begin(), {"file", "File"});
  table.shown_columns.push_back(
      number("after", has_several ? "After" : short_label(sides.back().label)));
  table.shown_columns.push_back(number("change", "Change"));
  keep_all(table.shown_columns);
  for (const Diff& diff : comparison.diffs)
    for (const MeasureFacts& facts : measures()) {
      const Change& change = at(diff.totals, facts.measure);
      if (change.verdict == Verdict::Absent) continue;
      const std::string& file = sides[diff.after].label;
      TableRow& row = table.rows.emplace_back();
      row.cells = {FilePath{file},        facts.name,
                   name_of(facts.unit),   cell_of(change.before),
                   cell_of(change.after), cell_of(change.difference),
                   ratio_cell(change),    name_of(change.verdict)};
      row.shown = {facts.title, figure_text(change.before, facts.unit),
                   figure_text(change.after, facts.unit), change_text(change, facts.unit)};
      if (has_several) row.shown.insert(row.shown.begin(), Cell(FilePath{file}));
    }
  return table;
}

Table layers_table(const Comparison& comparison, const DiffTables& which) {
  std::vector<const MeasureFacts*> columns;
  for (const MeasureFacts& facts : measures())
    if (facts.of_rows && is_in_rows(comparison, facts.measure)) columns.push_back(&facts);
  Table table{.name = "layers",
              .columns = {{.name = "file", .title = "File"},
                          {.name = "change", .title = "Change"},
                          {.name = "layer", .title = "Layer before"},
                          {.name = "layer_after", .title = "Layer after"},
                          {.name = "type", .title = "Type before"},
                          {.name = "type_after", .title = "Type after"}}};
  const bool has_several = comparison.diffs.size() > 1;
  table.shown_columns = {{.name = "layer", .title = "Layer"},
                         {.name = "change", .title = "Change"},
                         {.name = "type", .title = "Type", .priority = 4}};
  if (has_several) table.shown_columns.insert(table.shown_columns.begin(), {"file", "File"});
  std::vector<const MeasureFacts*> shown;
  const std::array<bool, kMeasures> worth = worth_showing(comparison);
  for (const MeasureFacts* facts : columns) {
    add_measure(*facts, table.columns);
    if (!worth[static_cast<std::size_t>(facts->measure)]) continue;
    shown.push_back(facts);
    table.shown_columns.push_back({.name = std::string(facts->name),
                                   .title = std::string(facts->title),
                                   .unit = facts->unit,
                                   .priority = priority_of(facts->measure)});
  }
  keep_all(table.shown_columns);
  for (const Diff& diff : comparison.diffs) {
    const Side &before = comparison.sides[diff.before], &after = comparison.sides[diff.after];
    for (const RowDiff& from : diff.rows) {
      if (!which.all && from.is_unchanged()) continue;
      TableRow& row = table.rows.emplace_back();
      std::string names[] = {names_of(before, from.before), names_of(after, from.after)};
      std::string types[] = {types_of(before, from.before), types_of(after, from.after)};
      const auto change = [&](const MeasureFacts& facts) {
        return change_of_row(before, after, from, facts.measure);
      };
      if (which.shown) {
        row.shown.reserve(table.shown_columns.size());
        if (has_several) row.shown.emplace_back(FilePath{after.label});
        row.shown.emplace_back(arrow(names[0], names[1]));
        row.shown.emplace_back(name_of(from.change));
        row.shown.emplace_back(shown_type(from, types[0], types[1]));
        for (const MeasureFacts* facts : shown)
          row.shown.emplace_back(both_text(change(*facts), facts->unit));
      }
      if (!which.numbers) continue;
      row.cells.reserve(table.columns.size());
      row.cells = {FilePath{after.label}, name_of(from.change), std::move(names[0]),
                   std::move(names[1]),   std::move(types[0]),  std::move(types[1])};
      for (const MeasureFacts* facts : columns)
        add_cells(change(*facts), facts->measure, row.cells);
    }
  }
  return table;
}

}  // namespace strata::compare
