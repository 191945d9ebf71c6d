#include "strata/compare/totals.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/visible.h"
#include "strata/base/number_text.h"

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

// The models with the least and the most of a measure; both null unless two models differ in it.
struct Ends {
  const ModelTotals *least = nullptr, *most = nullptr;
};
Ends ends_of(const std::vector<ModelTotals>& models, Measure measure) {
  Ends ends;
  const auto number = [&](const ModelTotals* one) { return *at(one->totals, measure).number(); };
  for (const ModelTotals& one : models) {
    const Figure& figure = at(one.totals, measure);
    if (figure.certainty != Certainty::Exact || !figure.number()) continue;
    if (ends.least == nullptr || number(&one) < number(ends.least)) ends.least = &one;
    if (ends.most == nullptr || number(&one) > number(ends.most)) ends.most = &one;
  }
  return ends.least == ends.most || number(ends.least) <= 0 ? Ends{} : ends;
}

// The least work and the fewest parameters; empty if no two models can be compared.
std::string verdict(const std::vector<ModelTotals>& models) {
  const Ends work = ends_of(models, Measure::Macs), size = ends_of(models, Measure::Params);
  std::string text;
  if (work.least != nullptr) {
    const double least = *at(work.least->totals, Measure::Macs).number();
    const double most = *at(work.most->totals, Measure::Macs).number();
    text = fmt::format("{} does the least work: {} MACs, {} times less than {}.\n",
                       visible(work.least->file), human(least), human(most / least),
                       visible(work.most->file));
  }
  if (size.least != nullptr)
    text += fmt::format("{} has the fewest parameters: {}.\n", visible(size.least->file),
                        human(*at(size.least->totals, Measure::Params).number()));
  return text;
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
    document.notes.emplace_back(fmt::format("{} of {} could not be read", failed, models.size()),
                                true);
  if (std::string text = verdict(models); !text.empty()) {
    document.sections = {answer_section(std::move(text)), {.table = "models"}};
    if (!document.notes.empty()) document.sections.push_back(notes_section(document.notes));
  }
  return document;
}

}  // namespace strata::compare
