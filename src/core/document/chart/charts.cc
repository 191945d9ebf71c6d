#include "document/chart/charts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/chart/axis.h"
#include "document/other_tools.h"

namespace strata {

namespace {

struct ChartRule {
  std::string_view name;
  std::optional<PlotScene> (*draw)(const Document& document);
};

// In this order a document is searched for its first.
constexpr ChartRule kCharts[] = {{"along", along_chart},       {"memory", memory_chart},
                                 {"roofline", roofline_chart}, {"treemap", treemap_chart},
                                 {"graph", graph_chart},       {"latency", latency_chart},
                                 {"speed-up", speed_up_chart}, {"sensitivity", sensitivity_chart},
                                 {"cuts", cuts_chart},         {"link", link_chart},
                                 {"changes", changes_chart}};

Result<PlotScene> drawn(const Document& document, const TableStyle& style) {
  auto scene = chart_of(document, style.chart);
  if (!scene || document.abridged.empty()) return scene;
  constexpr double kMargin = 8;
  scene->texts.push_back({kMargin, scene->height + kLetterHeight, document.abridged, kSoft});
  scene->height += 2 * kLetterHeight;
  return scene;
}

}  // namespace

std::vector<std::string> chart_names() {
  std::vector<std::string> names;
  for (const ChartRule& rule : kCharts) names.emplace_back(rule.name);
  return names;
}

Result<PlotScene> chart_of(const Document& document, std::string_view name) {
  std::vector<std::string_view> there;
  for (const ChartRule& rule : kCharts) {
    if (!name.empty() && rule.name != name) continue;
    if (auto scene = rule.draw(document)) return std::move(*scene);
  }
  for (const ChartRule& rule : kCharts)
    if (rule.draw(document)) there.push_back(rule.name);
  if (there.empty())
    return failure(Code::NothingToShow, {}, "there is nothing in it that a chart could show");
  return failure(
      fmt::format("there is no chart \"{}\" of this; charts are: {}", name, fmt::join(there, ", ")),
      ErrorKind::Usage);
}

Status write_svg(const Document& document, const TableStyle& style, Sink& sink) {
  const auto scene = drawn(document, style);
  if (!scene) return failure(scene);
  return sink.write(scene_to_svg(*scene));
}

Status write_png(const Document& document, const TableStyle& style, Sink& sink) {
  const auto scene = drawn(document, style);
  if (!scene) return failure(scene);
  const auto png = scene_to_png(*scene);
  if (!png) return failure(png);
  return sink.write(*png);
}

}  // namespace strata
