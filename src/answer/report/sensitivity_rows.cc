// Layers as rows: for people, and for machines.
#include <algorithm>

#include <fmt/format.h>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }
Cell whole(std::size_t value) { return {Expr(static_cast<std::int64_t>(value)), Certainty::Exact}; }
Cell estimate(const std::optional<double>& value, const std::optional<Interval>& interval) {
  if (!value || !interval) return value;
  return Estimate{*value, interval->low, interval->high};
}

// Ten numbers a sample, in the order of kScoreColumns.
Cell scores_cell(const std::vector<SampleScore>& samples) {
  Cells out;
  for (const SampleScore& one : samples)
    out.emplace_back(Cells{one.signal, one.noise, one.product, one.other, one.kl, one.rows,
                           one.same, one.right, one.labelled, one.command});
  return out;
}

struct RowFacts {
  const SensitivityRun& run;
  std::size_t layer;
  std::size_t rank;
  LayerFigures figures;
  double sum;  // of all drops
  const SensitivityLayer& facts() const { return run.layers[layer]; }
};

struct ColumnRule {
  Column column;
  Cell (*cell)(const RowFacts& facts);
};

constexpr const char* kDash = "–";

Cell quality_cell(const RowFacts& row, const std::optional<double>& value) {
  return words(value ? quality_text(row.run.quality, *value) : kDash);
}

Cell interval_cell(const RowFacts& row) {
  const auto& interval = row.figures.interval;
  if (!interval) return words(kDash);
  return words(fmt::format("{} – {}", quality_text(row.run.quality, interval->low),
                           quality_text(row.run.quality, interval->high)));
}

Cell drop_cell(const RowFacts& row) {
  return words(row.figures.drop ? drop_text(row.run.quality, *row.figures.drop) : kDash);
}

Cell share_cell(const RowFacts& row) {
  if (!row.figures.drop || !(row.sum > 0)) return words(kDash);
  return words(fmt::format("{:.1f} %", 100 * *row.figures.drop / row.sum));
}

// The part of the joint drop that goes away if this layer stays in float.
Cell gain_cell(const RowFacts& row) {
  const auto gain = left_out_gain(row.run, row.layer);
  return words(gain ? fmt::format("{:.1f} %", 100 * *gain) : kDash);
}

Cell rank_cell(const RowFacts& row) { return row.figures.drop ? whole(row.rank) : words(kDash); }

std::vector<ColumnRule> shown_columns(const SensitivityRun& run) {
  const auto any = [&](auto has) { return std::any_of(run.layers.begin(), run.layers.end(), has); };
  const bool blocks = any([](const SensitivityLayer& l) { return !l.block.empty(); });
  const bool left_out =
      std::any_of(run.result.layers.begin(), run.result.layers.end(),
                  [](const LayerScore& score) { return !score.left_out.empty(); });
  std::vector<ColumnRule> out = {{{"rank", "#", Unit::Count, false, 0}, rank_cell},
                                 {{"layer", "Layer", Unit::Text, false, 0},
                                  [](const RowFacts& row) { return words(row.facts().path); }}};
  if (blocks)
    out.push_back({{"block", "Block", Unit::Text, false, 2},
                   [](const RowFacts& row) { return words(row.facts().block); }});
  out.push_back({{"operators", "Operators", Unit::Text, false, 4},
                 [](const RowFacts& row) { return words(row.facts().operators); }});
  out.push_back({{"place", "Kind and place", Unit::Text, false, 3},
                 [](const RowFacts& row) { return words(row.facts().place); }});
  out.push_back({{"value", quality_title(run.quality), Unit::Decibels, false, 0},
                 [](const RowFacts& row) { return quality_cell(row, row.figures.value); }});
  out.push_back({{"interval", "95 % interval", Unit::Decibels, false, 1}, interval_cell});
  out.push_back({{"drop", "Drop", Unit::Decibels, false, 1}, drop_cell});
  // Shares of a sum are offered only where drops add up.
  if (shares_hold(run)) out.push_back({{"share", "Share", Unit::Percent, false, 3}, share_cell});
  if (left_out)
    out.push_back({{"left_out", "Left out", Unit::Decibels, false, 1},
                   [](const RowFacts& row) { return quality_cell(row, row.figures.left_out); }});
  if (left_out) out.push_back({{"gain", "Gain", Unit::Percent, false, 2}, gain_cell});
  out.push_back({{"n", "n", Unit::Count, false, 5},
                 [](const RowFacts& row) { return whole(row.figures.samples); }});
  return out;
}

std::vector<Column> plain_columns() {
  std::vector<Column> out = {{"rank", "#", Unit::Count},
                             {"index", "Index", Unit::Count},
                             {"layer", "Layer"},
                             {"block", "Block"},
                             {"operators", "Operators"},
                             {"place", "Kind and place"},
                             {"metric", "Metric"},
                             {"value", "Value", Unit::Number},
                             {"drop", "Drop", Unit::Number},
                             {"left_out", "Left out", Unit::Number},
                             {"left_out_drop", "Drop of left out", Unit::Number},
                             {"samples", "Samples", Unit::Count},
                             {"part", "Part"},
                             {"like", "Like"},
                             {"read_by", "Read by", Unit::Text},
                             {"scores", "Scores", Unit::Number},
                             {"left_out_scores", "Scores of left out", Unit::Number}};
  for (Column& column : out) {
    if (column.name == "value") column.type = ColumnType::Estimate;
    if (column.name == "read_by" || column.name.ends_with("scores")) column.type = ColumnType::List;
  }
  return out;
}

std::vector<Cell> plain_cells(const RowFacts& row) {
  const LayerFigures& figures = row.figures;
  const LayerScore& scores = row.run.result.layers[row.layer];
  const auto& like = row.run.result.like;
  const bool stood_for = row.layer < like.size() && like[row.layer] != row.layer;
  return {figures.drop ? Cell(row.rank) : Cell(),
          row.layer,
          row.facts().path,
          row.facts().block,
          row.facts().operators,
          row.facts().place,
          name_of(row.run.quality),
          estimate(figures.value, figures.interval),
          figures.drop,
          figures.left_out,
          figures.left_out_drop,
          figures.samples,
          "layer",
          stood_for ? Cell(row.run.layers[like[row.layer]].path) : Cell(),
          Cells{},
          scores_cell(scores.alone),
          scores_cell(scores.left_out)};
}

}  // namespace

Table sensitivity_table(const SensitivityRun& run) {
  const std::vector<ColumnRule> shown = shown_columns(run);
  Table table{.name = "layers", .columns = plain_columns()};
  for (const ColumnRule& rule : shown) table.shown_columns.push_back(rule.column);
  double sum = 0;
  for (const LayerScore& score : run.result.layers)
    sum += drop_of(run.quality, score.alone, run.result.baseline).value_or(0);
  const std::vector<std::size_t> order = sensitivity_ranking(run);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const RowFacts facts{run, order[i], i + 1, figures_of(run, order[i]), sum};
    TableRow& row = table.rows.emplace_back();
    row.cells = plain_cells(facts);
    for (const ColumnRule& rule : shown) row.shown.push_back(rule.cell(facts));
  }
  return table;
}

// In the columns of the layers.
std::vector<Cell> part_cells(const SensitivityRun& run, std::size_t index, std::size_t rank) {
  const QuantPart& part = run.parts->parts[index];
  const auto& scores = run.parts->alone[index];
  Cells readers;
  for (const std::size_t l : part.readers) readers.emplace_back(run.layers[l].path);
  return {rank,
          index,
          part.label,
          Cell(),
          Cell(),
          Cell(),
          name_of(run.quality),
          estimate(score_of(run.quality, scores), value_interval(run.quality, scores)),
          drop_of(run.quality, scores, run.result.baseline),
          Cell(),
          Cell(),
          scores.size(),
          name_of(part.kind),
          part.layer == kNoLayer ? Cell() : Cell(run.layers[part.layer].path),
          std::move(readers),
          scores_cell(scores),
          Cells{}};
}

std::vector<Column> sensitivity_columns() { return plain_columns(); }

Cell whole_cell(const SensitivityRun& run, const std::vector<SampleScore>& scores) {
  return Members{{"value", score_of(run.quality, scores)},
                 {"interval", value_interval(run.quality, scores)},
                 {"drop", drop_of(run.quality, scores, run.result.baseline)},
                 {"samples", scores.size()},
                 {"scores", scores_cell(scores)}};
}

}  // namespace strata
