#include "document/chart/axis.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/display_width.h"
#include "base/visible.h"
#include "strata/base/number_text.h"

namespace strata {

std::vector<double> linear_ticks(double most, Unit unit, int count) {
  if (!(most > 0)) return {0};
  const bool binary = unit == Unit::Bytes;
  const double rough = most / count;
  const double base = binary ? std::exp2(std::floor(std::log2(rough)))
                             : std::pow(10, std::floor(std::log10(rough)));
  double step = base * (binary ? 4 : 10);
  for (const double factor : binary ? std::vector{1.0, 2.0} : std::vector{1.0, 2.0, 5.0})
    if (most / (base * factor) <= count + 1e-9) {
      step = base * factor;
      break;
    }
  std::vector<double> ticks;
  for (int i = 0; i * step < most + step * 0.999; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  std::vector<double> ticks;
  const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
  for (int i = 0; first + i <= last; ++i) ticks.push_back(std::pow(10, first + i));
  return ticks;
}

std::string value_text(double value, Unit unit) {
  switch (unit) {
    case Unit::Bytes:
      return human_bytes(value);
    case Unit::Seconds:
      return human_seconds(value);
    case Unit::Picojoules:
      return human_picojoules(value);
    case Unit::FlopsPerSecond:
      return human(value) + "FLOP/s";
    case Unit::BytesPerSecond:
      return human_bytes(value) + "/s";
    case Unit::Decibels:
      return fmt::format("{:.1f} dB", value);
    case Unit::Number:
      return fmt::format("{:.3g}", value);
    default:
      return human(value);
  }
}

std::string tick_text(double value, Unit unit) {
  std::string text = value == 0 ? "0" : value_text(value, unit);
  const std::size_t point = text.find('.');
  if (point == text.npos) return text;
  std::size_t end = point + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
  std::size_t keep = end;
  while (text[keep - 1] == '0') --keep;
  if (keep == point + 1) keep = point;
  return text.erase(keep, end - keep);
}

double text_width(std::string_view text) {
  return kLetterWidth * static_cast<double>(display_width(text));
}

std::string name_within(std::string_view name, double room) {
  const double letters = std::max(0.0, std::floor(room / kLetterWidth));
  std::string shown = visible(name);
  if (text_width(shown) <= room) return shown;
  return letters < 4 ? "" : end_of_width(shown, static_cast<std::size_t>(letters));
}

void draw_ticks(PlotScene& scene, const std::vector<double>& ticks, const Scale& y, Unit unit) {
  for (const double tick : ticks) {
    scene.lines.push_back({kChartLeft, y(tick), kChartRight, y(tick), kGrid});
    scene.texts.push_back(
        {kChartLeft - 6, y(tick) + 4, tick_text(tick, unit), kSoft, PlotAnchor::End});
  }
}

double draw_heading(PlotScene& scene, const std::string& title, const std::string& about) {
  scene.width = kChartWidth;
  scene.title = visible(about.empty() ? title : title + ": " + about);
  scene.texts.push_back({kChartLeft, 18, name_within(title, kChartRight - kChartLeft), kInk});
  scene.texts.back().bold = true;
  if (about.empty()) return 34;
  scene.texts.push_back({kChartLeft, 33, about, kSoft});
  return 50;
}

}  // namespace strata
