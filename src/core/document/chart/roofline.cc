// Every layer as a dot below what the machine allows: operations per second over operations per
// byte, both by powers of ten. The area of a dot is the layer's time.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/profile_rows.h"

namespace strata {

namespace {

struct Dot {
  double intensity, rate, seconds;
};

// The two limits of the machine; 0 where they are not known.
double limit(const Document& document, std::string_view name) {
  const Cell* roofline = find_member(document.facts, "roofline");
  const Cell* cell = roofline == nullptr ? nullptr : find_member(*roofline, name);
  const auto* number = cell == nullptr ? nullptr : std::get_if<double>(&cell->value);
  return number == nullptr ? 0 : *number;
}

std::vector<Dot> dots_of(const ProfileRows& rows) {
  const auto intensities = rows.numbers("intensity"), rates = rows.numbers("flops_per_s"),
             times = rows.numbers("time");
  std::vector<Dot> dots;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (intensities[i].value_or(0) > 0 && rates[i].value_or(0) > 0)
      dots.push_back({*intensities[i], *rates[i], times[i].value_or(0)});
  return dots;
}

}  // namespace

std::optional<PlotScene> roofline_chart(const Document& document) {
  const double peak = limit(document, "flops_per_s"), speed = limit(document, "bytes_per_s");
  const auto rows = ProfileRows::of(document);
  if (!rows || !(peak > 0) || !(speed > 0)) return std::nullopt;
  const std::vector<Dot> dots = dots_of(*rows);
  if (dots.empty()) return std::nullopt;
  const double ridge = peak / speed;
  double least_x = ridge, most_x = ridge, least_y = peak, most_y = peak, longest = 0;
  for (const Dot& dot : dots) {
    least_x = std::min(least_x, dot.intensity), most_x = std::max(most_x, dot.intensity);
    least_y = std::min(least_y, dot.rate), most_y = std::max(most_y, dot.rate);
    longest = std::max(longest, dot.seconds);
  }
  PlotScene scene;
  const double top =
      draw_heading(scene, "Roofline: " + rows->model(),
                   "a dot is a layer, its area the time it takes; far below the roof it could be "
                   "faster") +
      14;
  const double bottom = top + 330;
  const auto xs = log_ticks(least_x, most_x * 1.01), ys = log_ticks(least_y, most_y * 1.01);
  const Scale x{xs.front(), xs.back(), kChartLeft, kChartRight, true};
  const Scale y{ys.front(), ys.back(), bottom, top, true};
  draw_ticks(scene, ys, y, Unit::FlopsPerSecond);
  for (const double tick : xs) {
    scene.lines.push_back({x(tick), top, x(tick), bottom, kGrid});
    scene.texts.push_back(
        {x(tick), bottom + 16, tick_text(tick, Unit::Count), kSoft, PlotAnchor::Middle});
  }
  scene.texts.push_back({kChartRight, bottom + 32, "FLOPs per byte moved", kInk, PlotAnchor::End});
  const double from = std::max(xs.front(), ys.front() / speed);
  scene.lines.push_back({x(from), y(from * speed), x(ridge), y(peak), kMark, 2});
  scene.lines.push_back({x(ridge), y(peak), x(xs.back()), y(peak), kMark, 2});
  scene.texts.push_back({kChartRight - 4, y(peak) - 6, value_text(peak, Unit::FlopsPerSecond), kInk,
                         PlotAnchor::End});
  const double middle = std::sqrt(from * ridge);
  scene.texts.push_back(
      {x(middle) + 10, y(middle * speed) + 16, value_text(speed, Unit::BytesPerSecond), kInk});
  for (const Dot& dot : dots)
    scene.dots.push_back({x(dot.intensity), y(dot.rate),
                          3 + (longest > 0 ? 9 * std::sqrt(dot.seconds / longest) : 0), kBar,
                          0.45});
  scene.height = bottom + 42;
  return scene;
}

}  // namespace strata
