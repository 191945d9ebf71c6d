// Latency over the speed of the link, and which division of the network is best where.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"

namespace strata {

namespace {

struct CurveRule {
  const char *member, *title;
  std::size_t kind;
  double dash;
};
constexpr CurveRule kCurves[] = {{"best_seconds", "best", 0, 0},
                                 {"all_edge_seconds", "all on the edge", 1, 7},
                                 {"all_server_seconds", "all on the server", 2, 2.5}};

constexpr double kHalfLabel = 24;

const Cells* list_in(const Cell& cell, std::string_view name) {
  const Cell* found = find_member(cell, name);
  return found == nullptr ? nullptr : std::get_if<Cells>(&found->value);
}

// Above zero and finite, as a scale of powers needs it.
std::optional<double> positive(const Cell& from, std::string_view name) {
  const Cell* cell = find_member(from, name);
  if (cell == nullptr) return std::nullopt;
  const auto* real = std::get_if<double>(&cell->value);
  const auto* whole = std::get_if<Expr>(&cell->value);
  double number = 0;
  if (real != nullptr) number = *real;
  if (whole != nullptr && whole->is_number()) number = static_cast<double>(whole->value());
  return number > 0 && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

struct Range {
  double low = 0, high = 0;
  void add(const std::optional<double>& value) {
    if (!value) return;
    low = low == 0 ? *value : std::min(low, *value);
    high = std::max(high, *value);
  }
};

void draw_bands(PlotScene& scene, const Cells& pieces, const Scale& x, double top, double bottom) {
  bool shaded = true;
  for (const Cell& piece : pieces) {
    const auto from = positive(piece, "from_bytes_per_second");
    const auto to = positive(piece, "to_bytes_per_second");
    const double left = from ? std::max(x.start, x(8 * *from)) : x.start;
    const double right = to ? std::min(x.end, x(8 * *to)) : x.end;
    if (!(right > left)) continue;
    if (shaded) scene.areas.push_back({left, top, right - left, bottom - top, kBand});
    shaded = !shaded;
    const Cell* choice = find_member(piece, "choice");
    const auto* name = choice == nullptr ? nullptr : std::get_if<std::string>(&choice->value);
    if (name != nullptr)
      scene.texts.push_back({(left + right) / 2, top + 12, name_within(*name, right - left - 6),
                             kSoft, PlotAnchor::Middle});
  }
}

// The speed at which one choice overtakes another, at the bottom of the plot. One that would be
// written over the last one stands a line higher.
void draw_crossings(PlotScene& scene, const Cells& curve, const Scale& x, double top,
                    double bottom) {
  double level = 0, end = 0;
  for (const Cell& point : curve) {
    const Cell* crossing = find_member(point, "crossing");
    const auto* is_one = crossing == nullptr ? nullptr : std::get_if<bool>(&crossing->value);
    const auto link = positive(point, "link_bytes_per_second");
    if (is_one == nullptr || !*is_one || !link) continue;
    const std::string text = value_text(8 * *link, Unit::Count) + "bps";
    const double at = x(8 * *link), width = text_width(text);
    const bool on_left = at + 4 + width > x.end;
    level = at - (on_left ? width + 4 : 0) < end ? level + 13 : 0;
    scene.lines.push_back({at, top + 18, at, bottom, kSoft, 1, 2});  // below the names of bands
    scene.texts.push_back({at + (on_left ? -4 : 4), bottom - 5 - level, text, kInk,
                           on_left ? PlotAnchor::End : PlotAnchor::Start});
    end = std::max(end, at + (on_left ? 0 : width + 8));
  }
}

}  // namespace

std::optional<PlotScene> link_chart(const Document& document) {
  const Cell* split = document.kind == "payload" ? find_member(document.facts, "split") : nullptr;
  const Cells* curve = split == nullptr ? nullptr : list_in(*split, "curve");
  const Cells* pieces = split == nullptr ? nullptr : list_in(*split, "by_link");
  if (curve == nullptr || pieces == nullptr || curve->size() < 2) return std::nullopt;
  Range bits, seconds;
  for (const Cell& point : *curve) {
    if (const auto link = positive(point, "link_bytes_per_second")) bits.add(8 * *link);
    for (const CurveRule& rule : kCurves) seconds.add(positive(point, rule.member));
  }
  if (!(bits.high > bits.low) || !(seconds.high > 0)) return std::nullopt;
  PlotScene scene;
  const double start =
      draw_heading(scene, "Best cut by link",
                   "latency over the speed of the link; bands are where one division is the best");
  const double top = start + 22, bottom = top + 280;
  const std::vector<double> ticks = log_ticks(seconds.low, seconds.high);
  const Scale x{bits.low, bits.high, kChartLeft, kChartRight, true};
  const Scale y{ticks.front(), ticks.back(), bottom, top + 20, true};
  draw_bands(scene, *pieces, x, top, bottom);
  draw_crossings(scene, *curve, x, top, bottom);
  draw_ticks(scene, ticks, y, Unit::Seconds);
  for (const double tick : log_ticks(bits.low, bits.high)) {
    if (tick < bits.low || tick > bits.high) continue;
    const bool last = x(tick) > kChartRight - kHalfLabel;  // would end behind the picture
    scene.texts.push_back({last ? kChartRight : x(tick), bottom + 15,
                           tick_text(tick, Unit::Count) + "bps", kSoft,
                           last ? PlotAnchor::End : PlotAnchor::Middle});
  }
  double legend = kChartLeft;
  for (const CurveRule& rule : kCurves) {
    std::optional<std::pair<double, double>> last;
    for (const Cell& point : *curve) {
      const auto link = positive(point, "link_bytes_per_second"),
                 time = positive(point, rule.member);
      if (!link || !time) continue;
      const std::pair<double, double> next = {x(8 * *link), y(*time)};
      if (last)
        scene.lines.push_back(
            {last->first, last->second, next.first, next.second, kKinds[rule.kind], 2, rule.dash});
      last = next;
    }
    scene.lines.push_back(
        {legend, start + 4, legend + 18, start + 4, kKinds[rule.kind], 2, rule.dash});
    scene.texts.push_back({legend + 24, start + 8, rule.title, kInk});
    legend += 150;
  }
  if (const auto asked = positive(*split, "link_bytes_per_second");
      asked && 8 * *asked >= bits.low && 8 * *asked <= bits.high) {
    scene.lines.push_back({x(8 * *asked), top, x(8 * *asked), bottom, kMark, 1.5, 4});
    scene.lines.push_back({legend, start + 4, legend + 18, start + 4, kMark, 1.5, 4});
    scene.texts.push_back({legend + 24, start + 8,
                           fmt::format("the link, {}bps", tick_text(8 * *asked, Unit::Count)),
                           kInk});
  }
  scene.height = bottom + 26;
  return scene;
}

}  // namespace strata
