#include "strata/compare/totals.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"

namespace strata::compare {

namespace {

bool is_any_known(const std::vector<ModelTotals>& models, Measure measure) {
  return std::any_of(models.begin(), models.end(),
                     [&](const ModelTotals& one) { return at(one.totals, measure).is_known(); });
}

// Counts are always there, what was measured only if anything was.
bool has_column(const std::vector<ModelTotals>& models, const MeasureFacts& facts) {
  if (facts.measure == Measure::Quality) return false;
  return facts.measure != Measure::Latency || is_any_known(models, facts.measure);
}

int priority_of(Measure measure) {
  switch (measure) {
    case Measure::Params:
    case Measure::Macs:
    case Measure::Latency:
      return 0;
    case Measure::Peak:
      return 1;
    case Measure::Flops:
      return 2;
    case Measure::Read:
    case Measure::Write:
      return 3;
    default:
      return 5;
  }
}

}  // namespace

Document totals_document(const std::vector<ModelTotals>& models, const std::string& convention) {
  Document document = new_document("totals");
  Table table{.name = "models", .columns = {{.name = "file", .title = "Model"}}};
  for (const MeasureFacts& facts : measures()) {
    if (!has_column(models, facts)) continue;
    const bool is_time = facts.measure == Measure::Latency;
    table.columns.push_back({.name = is_time ? "latency_s" : std::string(facts.name),
                             .title = std::string(facts.title),
                             .unit = facts.unit,
                             .priority = priority_of(facts.measure),
                             .type = is_time ? ColumnType::Estimate : ColumnType::Plain,
                             .usual = facts.measure != Measure::Energy});
  }
  std::size_t failed = 0;
  for (const ModelTotals& one : models) failed += one.problem.empty() ? 0 : 1;
  table.shown_columns = table.columns;
  table.columns.push_back({.name = "problem", .title = "Problem"});
  if (failed > 0) table.shown_columns.push_back(table.columns.back());
  for (const ModelTotals& one : models) {
    TableRow& row = table.rows.emplace_back();
    row.cells.emplace_back(FilePath{one.file});
    for (const MeasureFacts& facts : measures())
      if (has_column(models, facts)) row.cells.push_back(cell_of(at(one.totals, facts.measure)));
    row.shown = row.cells;
    row.cells.push_back(one.problem.empty() ? Cell() : Cell(one.problem));
    if (failed > 0) row.shown.emplace_back(one.problem);
  }
  document.facts = {{"models", models.size()}, {"failed", failed}, {"convention", convention}};
  document.tables.push_back(std::move(table));
  if (failed > 0)
    document.notes.push_back(fmt::format("{} of {} could not be read", failed, models.size()));
  return document;
}

}  // namespace strata::compare
