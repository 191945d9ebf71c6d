// Layers as rows: for people, and for machines.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }
Cell whole(std::size_t value) { return {Expr(static_cast<std::int64_t>(value)), Certainty::Exact}; }
Cell number(const std::optional<double>& value) {
  if (!value) return {};
  if (std::isinf(*value)) return words("inf");
  return {*value, Certainty::Exact};
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

constexpr const char* kNone = "–";

Cell quality_cell(const RowFacts& row, const std::optional<double>& value) {
  return words(value ? quality_text(row.run.quality, *value) : kNone);
}

Cell interval_cell(const RowFacts& row) {
  const auto& interval = row.figures.interval;
  if (!interval) return words(kNone);
  return words(fmt::format("{} – {}", quality_text(row.run.quality, interval->low),
                           quality_text(row.run.quality, interval->high)));
}

Cell drop_cell(const RowFacts& row) {
  return words(row.figures.drop ? drop_text(row.run.quality, *row.figures.drop) : kNone);
}

Cell share_cell(const RowFacts& row) {
  if (!row.figures.drop || !(row.sum > 0)) return words(kNone);
  return words(fmt::format("{:.1f} %", 100 * *row.figures.drop / row.sum));
}

Cell rank_cell(const RowFacts& row) { return row.figures.drop ? whole(row.rank) : words(kNone); }

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
  if (is_additive(additivity_of(run)))
    out.push_back({{"share", "Share", Unit::Percent, false, 3}, share_cell});
  if (left_out)
    out.push_back({{"left_out", "Left out", Unit::Decibels, false, 1},
                   [](const RowFacts& row) { return quality_cell(row, row.figures.left_out); }});
  out.push_back({{"n", "n", Unit::Count, false, 5},
                 [](const RowFacts& row) { return whole(row.figures.samples); }});
  return out;
}

std::vector<ColumnRule> plain_columns() {
  const auto text = [](const char* name, Cell (*cell)(const RowFacts&)) {
    return ColumnRule{{name, name, Unit::Text, false, 0}, cell};
  };
  const auto plain = [](const char* name, Cell (*cell)(const RowFacts&)) {
    return ColumnRule{{name, name, Unit::Number, false, 0}, cell};
  };
  return {
      plain("rank",
            [](const RowFacts& row) { return row.figures.drop ? whole(row.rank) : Cell{}; }),
      plain("index", [](const RowFacts& row) { return whole(row.layer); }),
      text("layer", [](const RowFacts& row) { return words(row.facts().path); }),
      text("block", [](const RowFacts& row) { return words(row.facts().block); }),
      text("operators", [](const RowFacts& row) { return words(row.facts().operators); }),
      text("place", [](const RowFacts& row) { return words(row.facts().place); }),
      text("metric", [](const RowFacts& row) { return words(std::string(name(row.run.quality))); }),
      plain("value", [](const RowFacts& row) { return number(row.figures.value); }),
      plain("low",
            [](const RowFacts& row) {
              return row.figures.interval ? number(row.figures.interval->low) : Cell{};
            }),
      plain("high",
            [](const RowFacts& row) {
              return row.figures.interval ? number(row.figures.interval->high) : Cell{};
            }),
      plain("drop", [](const RowFacts& row) { return number(row.figures.drop); }),
      plain("left_out", [](const RowFacts& row) { return number(row.figures.left_out); }),
      plain("left_out_drop", [](const RowFacts& row) { return number(row.figures.left_out_drop); }),
      plain("samples", [](const RowFacts& row) { return whole(row.figures.samples); }),
      text("part", [](const RowFacts&) { return words("layer"); }),
  };
}

// Behind the layers, in the same columns.
void add_parts(const SensitivityRun& run, Profile& table) {
  const std::vector<std::size_t> order = part_ranking(run);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const QuantPart& part = run.parts->parts[order[i]];
    const auto& scores = run.parts->alone[order[i]];
    const auto interval = value_interval(run.quality, scores);
    const auto end = [&](bool low) {
      return interval ? number(low ? interval->low : interval->high) : Cell{};
    };
    table.rows.emplace_back().cells = {whole(i + 1),
                                       whole(order[i]),
                                       words(part.label),
                                       {},
                                       {},
                                       {},
                                       words(std::string(name(run.quality))),
                                       number(value(run.quality, scores)),
                                       end(true),
                                       end(false),
                                       number(drop(run.quality, scores, run.result.baseline)),
                                       {},
                                       {},
                                       whole(scores.size()),
                                       words(std::string(name(part.kind)))};
  }
}

}  // namespace

Profile sensitivity_rows(const SensitivityRun& run, std::size_t top, bool machine) {
  const std::vector<ColumnRule> rules = machine ? plain_columns() : shown_columns(run);
  Profile table;
  for (const ColumnRule& rule : rules) table.columns.push_back(rule.column);
  double sum = 0;
  for (const LayerScore& score : run.result.layers)
    sum += drop(run.quality, score.alone, run.result.baseline).value_or(0);
  const std::vector<std::size_t> order = sensitivity_ranking(run);
  const std::size_t shown = top == 0 ? order.size() : std::min(top, order.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RowFacts facts{run, order[i], i + 1, figures_of(run, order[i]), sum};
    ProfileRow& row = table.rows.emplace_back();
    for (const ColumnRule& rule : rules) row.cells.push_back(rule.cell(facts));
  }
  if (machine) add_parts(run, table);
  if (!machine && shown < order.size())
    table.notes.push_back(
        fmt::format("{} more layers lose less or were not looked at; --top 0 "
                    "shows all",
                    order.size() - shown));
  return table;
}

}  // namespace strata
