// The findings of a comparison, layer by layer in running order: more above the line, less below
// it.
#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/stages.h"
#include "document/row_values.h"

namespace strata {

namespace {

struct MeasureRule {
  const char *name, *title;
};
constexpr MeasureRule kMeasures[] = {{"params", "Parameters"},
                                     {"macs", "MACs"},
                                     {"write", "Bytes written"},
                                     {"latency", "Time"},
                                     {"quality", "Quality"}};
constexpr double kPanel = 84, kBetween = 26;

struct ChangePanel {
  std::string title;
  Unit unit = Unit::Number;
  std::vector<std::optional<double>> numbers = {};
  double most = 0, least = 0;
};

// After less before; what is on one side only counts as a whole.
std::optional<double> change_in(const Table& table, const TableRow& row, const std::string& name) {
  const auto before = number_of(table, row, name + "_before");
  const auto after = number_of(table, row, name + "_after");
  const std::string change = text_of(table, row, "change");
  if (change == "inserted") return after;
  if (change == "removed") return before ? std::optional(-*before) : std::nullopt;
  return before && after ? std::optional(*after - *before) : std::nullopt;
}

std::vector<ChangePanel> change_panels(const Table& table,
                                       const std::vector<const TableRow*>& rows) {
  std::vector<ChangePanel> panels;
  for (const MeasureRule& rule : kMeasures) {
    const std::string name = rule.name;
    const auto column =
        std::find_if(table.columns.begin(), table.columns.end(),
                     [&](const Column& one) { return one.name == name + "_before"; });
    if (column == table.columns.end()) continue;
    ChangePanel panel{rule.title, column->unit};
    for (const TableRow* row : rows) {
      panel.numbers.push_back(change_in(table, *row, name));
      panel.most = std::max(panel.most, panel.numbers.back().value_or(0));
      panel.least = std::min(panel.least, panel.numbers.back().value_or(0));
    }
    if (panel.most > 0 || panel.least < 0) panels.push_back(std::move(panel));
  }
  return panels;
}

std::string signed_text(double value, Unit unit) {
  return (value < 0 ? "-" : value > 0 ? "+" : "") + tick_text(std::abs(value), unit);
}

void draw_panel(PlotScene& scene, const ChangePanel& panel, double top, double step) {
  const double bottom = top + kPanel - 14, far = std::max(panel.most, -panel.least);
  const Scale y{panel.least < 0 ? -far : 0, panel.most > 0 ? far : 0, bottom, top};
  for (const double tick : std::set{y.to, 0.0, y.from}) {
    scene.lines.push_back({kChartLeft, y(tick), kChartRight, y(tick), kGrid});
    scene.texts.push_back(
        {kChartLeft - 6, y(tick) + 4, signed_text(tick, panel.unit), kSoft, PlotAnchor::End});
  }
  for (std::size_t i = 0; i < panel.numbers.size(); ++i) {
    const double left = kChartLeft + static_cast<double>(i) * step;
    const double wide = std::max(0.6, step - (step > 4 ? 1 : 0));
    if (!panel.numbers[i]) {
      scene.lines.push_back({left, bottom + 3, left + step, bottom + 3, kSoft, 1.5, 1.5});
    } else if (const double value = *panel.numbers[i]; value != 0) {
      const double start = std::min(y(value), y(0));
      scene.boxes.push_back(
          {left, start, wide, std::abs(y(value) - y(0)), value > 0 ? kMark : kBar});
    }
  }
  scene.texts.push_back({kChartLeft, top - 5, panel.title, kInk});
}

std::string name_of_side(const Document& document, std::size_t index) {
  const Cell* sides = find_member(document.facts, "sides");
  const auto* list = sides == nullptr ? nullptr : std::get_if<Cells>(&sides->value);
  const Cell* file =
      list == nullptr || index >= list->size() ? nullptr : find_member((*list)[index], "file");
  const auto* path = file == nullptr ? nullptr : std::get_if<FilePath>(&file->value);
  return path == nullptr ? "" : path->text.substr(path->text.rfind('/') + 1);
}

// `What changed: a.onnx → b.onnx`
std::string changes_title(const Document& document) {
  const std::string before = name_of_side(document, 0), after = name_of_side(document, 1);
  if (before.empty() || after.empty()) return "What changed";
  return fmt::format("What changed: {} → {}", before, after);
}

// The other files are in the table.
std::vector<const TableRow*> rows_of_first_file(const Table& table) {
  std::vector<const TableRow*> rows;
  const auto file = [&](const TableRow& row) {
    const Cell* cell = cell_of(table, row, "file");
    const auto* path = cell == nullptr ? nullptr : std::get_if<FilePath>(&cell->value);
    return path == nullptr ? std::string() : path->text;
  };
  for (const TableRow& row : table.rows)
    if (file(row) == file(table.rows.front())) rows.push_back(&row);
  return rows;
}

}  // namespace

std::optional<PlotScene> changes_chart(const Document& document) {
  const Table* table = document.kind == "diff" ? document.table("layers") : nullptr;
  if (table == nullptr || table->rows.size() < 2) return std::nullopt;
  const std::vector<const TableRow*> rows = rows_of_first_file(*table);
  const std::vector<ChangePanel> panels = change_panels(*table, rows);
  if (panels.empty()) return std::nullopt;
  std::vector<std::string> paths;
  for (const TableRow* row : rows) {
    std::string name = text_of(*table, *row, "layer_after");
    if (name.empty()) name = text_of(*table, *row, "layer");
    paths.push_back(name.substr(0, name.find(", ")));
  }
  PlotScene scene;
  const double start = draw_heading(
      scene, changes_title(document),
      "every layer in running order; more than before is above the line, less is below it");
  const double step = (kChartRight - kChartLeft) / static_cast<double>(rows.size());
  const double top = start + 32;
  const double bottom = top + static_cast<double>(panels.size()) * (kPanel + kBetween) - kBetween;
  draw_stages(scene, stages_of(paths), step, start, bottom);
  double place = top;
  for (const ChangePanel& panel : panels) {
    draw_panel(scene, panel, place, step);
    place += kPanel + kBetween;
  }
  scene.height = bottom + 10;
  return scene;
}

}  // namespace strata
