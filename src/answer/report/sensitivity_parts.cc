// Weights and activations apart: what a file of int8 rounds, piece by piece.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

std::optional<double> drop_of(const SensitivityRun& run, std::size_t part) {
  return drop_of(run.quality, run.parts->alone[part], run.result.baseline);
}

}  // namespace

std::vector<std::size_t> part_ranking(const SensitivityRun& run) {
  std::vector<std::size_t> order(run.parts ? run.parts->parts.size() : 0);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return drop_of(run, a).value_or(-1e300) > drop_of(run, b).value_or(-1e300);
  });
  return order;
}

Table parts_table(const SensitivityRun& run) {
  Table table{.name = "parts",
              .columns = sensitivity_columns(),
              .shown_columns = {{"rank", "#", Unit::Count, false, 0},
                                {"part", "Weights or activation", Unit::Text, false, 0},
                                {"value", quality_title(run.quality), Unit::Decibels, false, 0},
                                {"interval", "95 % interval", Unit::Decibels, false, 1},
                                {"drop", "Drop", Unit::Decibels, false, 1},
                                {"read_by", "Read by", Unit::Text, false, 3}}};
  const std::vector<std::size_t> order = part_ranking(run);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const QuantPart& part = run.parts->parts[order[i]];
    const auto& scores = run.parts->alone[order[i]];
    const auto own = score_of(run.quality, scores);
    const auto interval = value_interval(run.quality, scores);
    const auto lost = drop_of(run, order[i]);
    std::string readers;
    for (const std::size_t l : part.readers)
      readers += (readers.empty() ? "" : ", ") + run.layers[l].path;
    TableRow& row = table.rows.emplace_back();
    row.cells = part_cells(run, order[i], i + 1);
    row.shown = {i + 1,
                 part.label,
                 own ? quality_text(run.quality, *own) : "–",
                 interval ? fmt::format("{} – {}", quality_text(run.quality, interval->low),
                                        quality_text(run.quality, interval->high))
                          : "–",
                 lost ? drop_text(run.quality, *lost) : "–",
                 readers};
  }
  return table;
}

std::string parts_summary(const SensitivityRun& run) {
  if (!run.parts) return "";
  const auto all = score_of(run.quality, run.parts->together);
  if (!all) return "as an int8 file: not measured\n";
  std::string text = fmt::format("as an int8 file, all {} of these together: {}",
                                 run.parts->parts.size(), quality_with_unit(run.quality, *all));
  if (const auto interval = value_interval(run.quality, run.parts->together))
    text += fmt::format(" [{}, {}]", quality_text(run.quality, interval->low),
                        quality_text(run.quality, interval->high));
  return text + "\n";
}

}  // namespace strata
