// Weights and activations apart: what a file of int8 rounds, piece by piece.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

Cell words(std::string text) { return {std::move(text), Certainty::Exact}; }

std::optional<double> drop_of(const SensitivityRun& run, std::size_t part) {
  return drop(run.quality, run.parts->alone[part], run.result.baseline);
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

Profile part_rows(const SensitivityRun& run, std::size_t top) {
  Profile table;
  table.columns = {{"rank", "#", Unit::Count, false, 0},
                   {"part", "Weights or activation", Unit::Text, false, 0},
                   {"value", quality_title(run.quality), Unit::Decibels, false, 0},
                   {"interval", "95 % interval", Unit::Decibels, false, 1},
                   {"drop", "Drop", Unit::Decibels, false, 1},
                   {"read_by", "Read by", Unit::Text, false, 3}};
  const std::vector<std::size_t> order = part_ranking(run);
  const std::size_t shown = top == 0 ? order.size() : std::min(top, order.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const QuantPart& part = run.parts->parts[order[i]];
    const auto& scores = run.parts->alone[order[i]];
    const auto own = value(run.quality, scores);
    const auto interval = value_interval(run.quality, scores);
    const auto lost = drop_of(run, order[i]);
    std::string readers;
    for (const std::size_t l : part.readers)
      readers += (readers.empty() ? "" : ", ") + run.layers[l].path;
    table.rows.emplace_back().cells = {
        {Expr(static_cast<std::int64_t>(i + 1)), Certainty::Exact},
        words(part.label),
        words(own ? quality_text(run.quality, *own) : "–"),
        words(interval ? fmt::format("{} – {}", quality_text(run.quality, interval->low),
                                     quality_text(run.quality, interval->high))
                       : "–"),
        words(lost ? drop_text(run.quality, *lost) : "–"),
        words(readers)};
  }
  if (shown < order.size())
    table.notes.push_back(
        fmt::format("{} more lose less; --top 0 shows all", order.size() - shown));
  return table;
}

std::string parts_summary(const SensitivityRun& run) {
  if (!run.parts) return "";
  const auto all = value(run.quality, run.parts->together);
  if (!all) return "as an int8 file: not measured\n";
  std::string text = fmt::format("as an int8 file, all {} of these together: {}",
                                 run.parts->parts.size(), quality_with_unit(run.quality, *all));
  if (const auto interval = value_interval(run.quality, run.parts->together))
    text += fmt::format(" [{}, {}]", quality_text(run.quality, interval->low),
                        quality_text(run.quality, interval->high));
  return text + "\n";
}

}  // namespace strata
