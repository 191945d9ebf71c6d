// Bytes that cross if the network is cut after each layer, as stairs.
#include <algorithm>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/row_values.h"

namespace strata {

namespace {

struct SeriesRule {
  const char *column, *title;
  std::size_t kind;
  double dash;
};
constexpr SeriesRule kSeries[] = {
    {"raw", "as it is", 0, 0}, {"fp16", "fp16", 1, 7}, {"int8", "int8", 2, 2.5}};

// The place at which the fewest bytes cross; nullopt if no size is known. A lower bound is not a
// size.
std::optional<std::size_t> least_of(const Table& table) {
  std::optional<std::size_t> least;
  double fewest = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Cell* cell = cell_of(table, table.rows[i], "raw");
    const auto bytes = number_of(table, table.rows[i], "raw");
    if (!bytes || cell->certainty != Certainty::Exact || (least && *bytes >= fewest)) continue;
    least = i;
    fewest = *bytes;
  }
  return least;
}

}  // namespace

std::optional<PlotScene> cuts_chart(const Document& document) {
  const Table* table = document.kind == "payload" ? document.table("cuts") : nullptr;
  if (table == nullptr || table->rows.size() < 2) return std::nullopt;
  std::vector<double> raw;
  for (const TableRow& row : table->rows) raw.push_back(number_of(*table, row, "raw").value_or(0));
  const double most = *std::max_element(raw.begin(), raw.end());
  if (!(most > 0)) return std::nullopt;
  PlotScene scene;
  const double start = draw_heading(scene, "Places to cut",
                                    "bytes that cross if the network is cut after each layer");
  const double top = start + 24, bottom = top + 220;
  const std::vector<double> ticks = linear_ticks(most, Unit::Bytes, 4);
  const Scale y{0, std::max(most, ticks.back()), bottom, top};
  draw_ticks(scene, ticks, y, Unit::Bytes);
  const double step = (kChartRight - kChartLeft) / static_cast<double>(raw.size());
  double legend = kChartLeft;
  for (const SeriesRule& rule : kSeries) {
    std::optional<double> before;
    bool drawn = false;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      const auto bytes = number_of(*table, table->rows[i], rule.column);
      const double x = kChartLeft + static_cast<double>(i) * step;
      if (bytes) {
        scene.lines.push_back(
            {x, y(*bytes), x + step + 0.3, y(*bytes), kKinds[rule.kind], 2, rule.dash});
        if (before)
          scene.lines.push_back({x, y(*before), x, y(*bytes), kKinds[rule.kind], 1, rule.dash});
        drawn = true;
      }
      before = bytes;
    }
    if (!drawn) continue;
    scene.lines.push_back(
        {legend, start + 4, legend + 18, start + 4, kKinds[rule.kind], 2, rule.dash});
    scene.texts.push_back({legend + 24, start + 8, rule.title, kInk});
    legend += 90;
  }
  if (const auto least = least_of(*table)) {
    const std::string name = text_of(*table, table->rows[*least], "after");
    scene.dots.push_back(
        {kChartLeft + (static_cast<double>(*least) + 0.5) * step, y(raw[*least]), 4, kMark});
    scene.dots.push_back({legend + 6, start + 4, 4, kMark});
    scene.texts.push_back(
        {legend + 16, start + 8,
         fmt::format("least: {} {}", value_text(raw[*least], Unit::Bytes),
                     name.empty() ? "before the first layer" : "after " + name_within(name, 280)),
         kInk});
  }
  scene.height = bottom + 16;
  return scene;
}

}  // namespace strata
