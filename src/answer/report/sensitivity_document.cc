// A sensitivity as a document. docs/sensitivity.md describes its facts and columns.
#include <iterator>
#include <memory>

#include "report/sensitivity_text.h"
#include "report/verdict.h"

namespace strata {

namespace {

Cell alike_cell(const AlikeBlocks& alike) {
  return Members{{"blocks", list_cell(alike.blocks)},
                 {"layers", alike.layers},
                 {"standing", alike.standing},
                 {"members", alike.members}};
}

Cell finding_cell(const SensitivityRun& run, const Finding& finding) {
  Cells layers;
  for (const std::size_t layer : finding.layers) layers.emplace_back(run.layers[layer].path);
  return Members{{"group", finding.group},
                 {"sentence", finding.sentence},
                 {"layers", std::move(layers)},
                 {"median_drop", finding.median},
                 {"median_drop_elsewhere", finding.elsewhere},
                 {"others", finding.others},
                 {"p", finding.p}};
}

Cell pair_cell(const SensitivityRun& run, const PairScore& pair) {
  return Members{
      {"layers", Cells{Cell(run.layers[pair.first].path), Cell(run.layers[pair.second].path)}},
      {"indices", Cells{Cell(pair.first), Cell(pair.second)}},
      {"gain", gain_of(run, pair.left_out)},
      {"as_much", gains_as_much(run, pair)},
      {"left_out", whole_cell(run, pair.left_out)}};
}

Members facts_of(const SensitivityRun& run) {
  const Sensitivity& result = run.result;
  const auto r = additivity_of(run);
  Cells alike, findings, columns, pairs, as_much;
  for (const std::size_t layer : gain_as_much(run)) as_much.emplace_back(run.layers[layer].path);
  for (const PairScore& pair : result.pairs) pairs.push_back(pair_cell(run, pair));
  for (const AlikeBlocks& each : result.alike) alike.push_back(alike_cell(each));
  for (const Finding& finding : run.findings) findings.push_back(finding_cell(run, finding));
  for (const char* column : kScoreColumns) columns.emplace_back(column);
  return {
      {"complete", !result.partial},
      {"model", FilePath{run.model}},
      {"graph_hash", run.hash},
      {"run", run.run},
      {"engine", run.engine},
      {"data", run.data},
      {"ranges", run.ranges},
      {"random_data", run.random_data},
      {"random_weights", run.random_weights},
      {"metric", name_of(run.quality)},
      {"unit", unit_of(run.quality)},
      {"weight_bits", run.rounding.weights ? Cell(run.rounding.weight_bits) : Cell()},
      {"activation_bits", run.rounding.activations ? Cell(run.rounding.activation_bits) : Cell()},
      {"samples", run.samples},
      {"budgeted", run.budgeted},
      {"budget_passes", result.budget_passes > 0 ? Cell(result.budget_passes) : Cell()},
      {"alike", std::move(alike)},
      {"seconds", run.seconds},
      {"measuring_seconds", result.seconds},
      {"passes", result.passes},
      {"naive_passes", result.naive_passes},
      {"kept_bytes", result.kept_bytes},
      {"additivity", r},
      {"additive", r ? Cell(is_additive(r)) : Cell()},
      {"findings", std::move(findings)},
      {"score_columns", std::move(columns)},
      {"baseline", whole_cell(run, result.baseline)},
      {"joint", whole_cell(run, result.joint)},
      {"gain_as_much", std::move(as_much)},
      {"pairs", std::move(pairs)},
      {"as_written", run.parts ? whole_cell(run, run.parts->together) : Cell()}};
}

void keep_top(Document& document, std::size_t top) {
  for (Table& table : document.tables) keep_top(table, top);
}

}  // namespace

Document sensitivity_document(const SensitivityRun& given) {
  const auto run = std::make_shared<const SensitivityRun>(given);
  Document document = new_document("sensitivity");
  set_tool(document, run->program);
  document.options = run->options;
  document.facts = facts_of(*run);
  document.tables.push_back(sensitivity_table(*run));
  document.sections = {
      verdict_section(sensitivity_verdict(*run)),
      {.table = "layers"},
      {.lines = [run](const TableStyle&) { return sensitivity_findings(*run); },
       .asides =
           [run](const TableStyle& style) { return sensitivity_method(*run, style.phrase); }}};
  if (run->parts) {
    document.tables.push_back(parts_table(*run));
    document.sections.push_back({.table = "parts"});
    document.sections.push_back(lines_section(parts_summary(*run)));
  }
  document.sections.push_back({.lines =
                                   [run](const TableStyle& style) {
                                     return sensitivity_to_blocks(*run, style.width, style.color);
                                   },
                               .picture = true});
  return document;
}

std::string sensitivity_to_table(const SensitivityRun& run, std::size_t top,
                                 const TableStyle& style) {
  Document document = sensitivity_document(run);
  keep_top(document, top);
  return render_table(document, style);
}

std::string sensitivity_to_markdown(const SensitivityRun& run, std::size_t top,
                                    const TableStyle& style) {
  Document document = sensitivity_document(run);
  keep_top(document, top);
  return render_markdown(document, style);
}

std::string sensitivity_to_csv(const SensitivityRun& run) {
  return render_csv(sensitivity_document(run));
}

std::string sensitivity_to_json(const SensitivityRun& run) {
  return render_json(sensitivity_document(run));
}

}  // namespace strata
