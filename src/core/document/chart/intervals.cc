// One line for each row: a number with its interval, such as a latency or a speedup.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/row_values.h"

namespace strata {

namespace {

constexpr std::size_t kMostRows = 40;
constexpr double kFar = 50;  // times as long as the shortest
constexpr double kRow = 22, kRowWithRuns = 32, kRoomForNumber = 190;

struct Line {
  std::string name;
  double value;
  std::optional<std::pair<double, double>> ends;
  std::vector<double> beside = {};  // marked by ticks
  std::vector<double> runs = {};    // single ones, above the line
};

struct Figure {
  std::string title, about;
  Unit unit;
  std::vector<Line> lines;
  std::optional<std::pair<double, std::string>> mark = {};  // that all are compared with
};

std::optional<Line> line_of(const Table& table, const TableRow& row, std::string_view column,
                            std::string name) {
  const auto value = number_of(table, row, column);
  if (!value) return std::nullopt;
  Line line{std::move(name), *value, std::nullopt};
  const auto* estimate = std::get_if<Estimate>(&cell_of(table, row, column)->value);
  if (estimate != nullptr && std::isfinite(estimate->low) && std::isfinite(estimate->high))
    line.ends = {estimate->low, estimate->high};
  return line;
}

void draw_line(PlotScene& scene, const Line& line, const Scale& x, double y, double left,
               Unit unit) {
  scene.texts.push_back(
      {left - 8, y + 4, name_within(line.name, left - 12), kInk, PlotAnchor::End});
  if (line.ends)
    scene.lines.push_back({x(line.ends->first), y, x(line.ends->second), y, kBarSoft, 7});
  else
    scene.lines.push_back({x(x.from), y, x(line.value), y, kBarSoft, 3});
  for (const double beside : line.beside)
    scene.lines.push_back({x(beside), y - 5, x(beside), y + 5, kSoft, 1.5});
  for (const double run : line.runs)
    scene.lines.push_back({x(run), y - 13, x(run), y - 6, kBar, 0.6});
  scene.dots.push_back({x(line.value), y, 4.5, kBar});
  std::string text = value_text(line.value, unit);
  if (line.ends)
    text += fmt::format(" [{}, {}]", value_text(line.ends->first, unit),
                        value_text(line.ends->second, unit));
  scene.texts.push_back({x.end + 10, y + 4, text, kInk});
}

// The shortest of all drawn lengths; 0 if one of them is not above it.
double shortest_of(const Figure& figure) {
  double least = std::numeric_limits<double>::infinity();
  for (const Line& line : figure.lines) {
    least = std::min({least, line.value, line.ends ? line.ends->first : line.value});
    for (const auto* list : {&line.beside, &line.runs})
      for (const double one : *list) least = std::min(least, one);
  }
  return std::max(0.0, least);
}

std::optional<PlotScene> drawn(Figure figure) {
  if (figure.lines.empty()) return std::nullopt;
  if (figure.lines.size() > kMostRows) {
    figure.about += fmt::format("; {} more are in the table", figure.lines.size() - kMostRows);
    figure.lines.resize(kMostRows);
  }
  double least = 0, most = figure.mark ? figure.mark->first : 0, longest = 40, high = kRow;
  for (const Line& line : figure.lines) {
    least = std::min({least, line.value, line.ends ? line.ends->first : 0});
    most = std::max({most, line.value, line.ends ? line.ends->second : 0});
    for (const double beside : line.beside) most = std::max(most, beside);
    for (const double run : line.runs) most = std::max(most, run);
    if (!line.runs.empty()) high = kRowWithRuns;
    longest = std::max(longest, text_width(line.name));
  }
  // Powers of ten where the shortest could not be seen beside the longest.
  const double shortest = shortest_of(figure);
  const bool powers = figure.unit == Unit::Seconds && shortest > 0 && most > kFar * shortest;
  if (powers) figure.about += "; powers of ten";
  PlotScene scene;
  const double top = draw_heading(scene, figure.title, figure.about) + 12;
  const double left = std::min(0.4 * kChartWidth, longest + 20);
  for (PlotText& text : scene.texts) text.x = 12;
  const double bottom = top + high * static_cast<double>(figure.lines.size());
  const std::vector<double> ticks =
      powers ? log_ticks(shortest, most) : linear_ticks(most, figure.unit, 5);
  const Scale x{powers ? ticks.front() : least, std::max(most, ticks.back()), left,
                kChartRight - kRoomForNumber, powers};
  for (const double tick : ticks) {
    scene.lines.push_back({x(tick), top, x(tick), bottom, kGrid});
    scene.texts.push_back(
        {x(tick), bottom + 15, tick_text(tick, figure.unit), kSoft, PlotAnchor::Middle});
  }
  if (figure.mark) {
    scene.lines.push_back(
        {x(figure.mark->first), top - 2, x(figure.mark->first), bottom, kMark, 1.5, 4});
    scene.texts.push_back(
        {x(figure.mark->first), top - 5, figure.mark->second, kMark, PlotAnchor::Middle});
  }
  for (std::size_t i = 0; i < figure.lines.size(); ++i)
    draw_line(scene, figure.lines[i], x, top + (static_cast<double>(i) + 0.5) * high, left,
              figure.unit);
  scene.height = bottom + 26;
  return scene;
}

// `2 threads`, `batch 4`: a number alone does not say what it counts.
std::string worded(std::string_view column, const std::string& text) {
  if (text.empty()) return text;
  if (column == "threads") return text + (text == "1" ? " thread" : " threads");
  return column == "batch" ? "batch " + text : text;
}

// Names variants by the columns in which they differ.
std::vector<std::string> variant_names(const Table& table) {
  std::vector<std::string> names(table.rows.size());
  for (const char* column : {"model", "backend", "precision", "threads", "batch", "shape"}) {
    std::vector<std::string> texts;
    for (const TableRow& row : table.rows)
      texts.push_back(worded(column, text_of(table, row, column)));
    const bool differ = std::set(texts.begin(), texts.end()).size() > 1;
    if (!differ && std::string_view(column) != "backend") continue;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!texts[i].empty()) names[i] += (names[i].empty() ? "" : " ") + texts[i];
  }
  return names;
}

// Up to `most`: one that took very long would leave no room for the others.
std::vector<double> drawn_runs(const Table& table, const TableRow& row, double most) {
  std::vector<double> runs;
  const Cell* cell = cell_of(table, row, "spread_s");
  const auto* list = cell == nullptr ? nullptr : std::get_if<Cells>(&cell->value);
  if (list == nullptr) return runs;
  for (const Cell& one : *list)
    if (const auto* run = std::get_if<double>(&one.value); run != nullptr && *run <= most)
      runs.push_back(*run);
  return runs;
}

const Table* bench_table_of(const Document& document) {
  for (const Table& table : document.tables)
    for (const Column& column : table.columns)
      if (column.name == "median_s") return &table;
  return nullptr;
}

}  // namespace

std::optional<PlotScene> latency_chart(const Document& document) {
  const Table* table = bench_table_of(document);
  if (table == nullptr) return std::nullopt;
  Figure figure{"Latency of one inference",
                "dots are medians, thick lines their 95 % intervals; ticks: least, p90, p99; thin "
                "lines above: single runs",
                Unit::Seconds,
                {}};
  const std::vector<std::string> names = variant_names(*table);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto line = line_of(*table, table->rows[i], "median_s", names[i]);
    if (!line) continue;
    for (const char* column : {"min_s", "p90_s", "p99_s"})
      if (const auto beside = number_of(*table, table->rows[i], column))
        line->beside.push_back(*beside);
    line->runs = drawn_runs(*table, table->rows[i], 2 * line->value);
    figure.lines.push_back(std::move(*line));
  }
  return drawn(std::move(figure));
}

std::optional<PlotScene> speed_up_chart(const Document& document) {
  const Table* table = bench_table_of(document);
  if (table == nullptr) return std::nullopt;
  Figure figure{"Speedup over the base",
                "an interval that crosses the line at 1 does not say which is faster",
                Unit::Number,
                {},
                std::pair(1.0, "base")};
  const std::vector<std::string> names = variant_names(*table);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (auto line = line_of(*table, table->rows[i], "speed_up", names[i]))
      figure.lines.push_back(std::move(*line));
  return drawn(std::move(figure));
}

std::optional<PlotScene> sensitivity_chart(const Document& document) {
  const Table* table = document.kind == "sensitivity" ? document.table("layers") : nullptr;
  if (table == nullptr) return std::nullopt;
  const auto fact = [&](std::string_view name) -> const Cell* {
    return find_member(document.facts, name);
  };
  const auto word = [&](std::string_view name) {
    const Cell* cell = fact(name);
    const auto* text = cell == nullptr ? nullptr : std::get_if<std::string>(&cell->value);
    return text == nullptr ? std::string() : *text;
  };
  const bool decibels = word("unit") == "dB";
  Figure figure{fmt::format("Answers with one layer quantized: {}", word("metric")),
                "the layer that hurts most first; intervals of 95 % over samples",
                decibels ? Unit::Decibels : Unit::Number,
                {}};
  if (const Cell* joint = fact("joint"))
    if (const Cell* value = find_member(*joint, "value"))
      if (const auto* number = std::get_if<double>(&value->value); number && std::isfinite(*number))
        figure.mark = {*number, "all layers"};
  for (const TableRow& row : table->rows)
    if (auto line = line_of(*table, row, "value", text_of(*table, row, "layer")))
      figure.lines.push_back(std::move(*line));
  return drawn(std::move(figure));
}

}  // namespace strata
