// The cost of every layer, in running order: one panel a figure, all on one axis.
#include <algorithm>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/profile_rows.h"
#include "document/chart/stages.h"

namespace strata {

namespace {

struct PanelRule {
  const char *column, *title;
};
constexpr PanelRule kPanels[] = {{"params", "Parameters"},
                                 {"activation", "Activations"},
                                 {"macs", "MACs"},
                                 {"mem", "Bytes moved"},
                                 {"time", "Time"}};
constexpr double kPanelHeight = 84, kGap = 26;

struct Panel {
  std::string title;
  Unit unit;
  std::vector<std::optional<double>> numbers;
  double most = 0, sum = 0;
};

std::vector<Panel> panels_of(const ProfileRows& rows) {
  std::vector<Panel> panels;
  for (const PanelRule& rule : kPanels) {
    Panel panel{rule.title, rows.unit(rule.column), rows.numbers(rule.column)};
    for (const auto& number : panel.numbers) {
      panel.most = std::max(panel.most, number.value_or(0));
      panel.sum += number.value_or(0);
    }
    if (panel.most > 0) panels.push_back(std::move(panel));
  }
  return panels;
}

// One bar a layer; a short line below those whose number is not known.
void draw_bars(PlotScene& scene, const Panel& panel, const Scale& y, double step) {
  const double gap = step > 4 ? 1 : 0, bottom = y(0);
  for (std::size_t i = 0; i < panel.numbers.size(); ++i) {
    const double left = kChartLeft + static_cast<double>(i) * step;
    if (!panel.numbers[i])
      scene.lines.push_back({left, bottom + 3, left + step, bottom + 3, kSoft, 1.5, 1.5});
    else if (*panel.numbers[i] > 0)
      scene.boxes.push_back({left, y(*panel.numbers[i]), std::max(0.6, step - gap),
                             bottom - y(*panel.numbers[i]), kBar});
  }
}

}  // namespace

std::optional<PlotScene> along_chart(const Document& document) {
  const auto rows = ProfileRows::in_order(document);
  if (!rows) return std::nullopt;
  const std::vector<Panel> panels = panels_of(*rows);
  if (panels.empty()) return std::nullopt;
  PlotScene scene;
  const double start = draw_heading(scene, "Along the network: " + rows->model(),
                                    "every layer in running order, from left to right");
  const double step = (kChartRight - kChartLeft) / static_cast<double>(rows->size());
  const double top = start + 18;
  const double bottom =
      top + static_cast<double>(panels.size()) * (kPanelHeight + kGap) - kGap + 14;
  draw_stages(scene, stages_of(rows->paths()), step, start, bottom);
  double panel_top = top + 14;
  for (const Panel& panel : panels) {
    const double base = panel_top + kPanelHeight - 14;
    const std::vector<double> ticks = linear_ticks(panel.most, panel.unit, 2);
    const Scale y{0, std::max(panel.most, ticks.back()), base, panel_top};
    draw_ticks(scene, ticks, y, panel.unit);
    draw_bars(scene, panel, y, step);
    scene.texts.push_back(
        {kChartLeft, panel_top - 5,
         fmt::format("{}, {} in all", panel.title, value_text(panel.sum, panel.unit)), kInk});
    panel_top += kPanelHeight + kGap;
  }
  scene.height = bottom + 10;
  return scene;
}

}  // namespace strata
