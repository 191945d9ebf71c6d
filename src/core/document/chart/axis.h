// Shared parts of charts: colours, scales, ticks, names that fit.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "document/chart/scene.h"
#include "strata/document/table.h"

namespace strata {

inline constexpr PlotColor kInk{28, 33, 40}, kSoft{95, 105, 117}, kGrid{222, 226, 231},
    kBand{240, 243, 247}, kBar{0, 114, 178}, kBarSoft{178, 212, 232}, kMark{213, 94, 0};
// Okabe and Ito's, which people with any sight of colours can tell apart; the last is for the rest.
inline constexpr PlotColor kKinds[] = {{0, 114, 178},   {230, 159, 0},  {0, 158, 115},
                                       {204, 121, 167}, {86, 180, 233}, {240, 228, 66},
                                       {190, 196, 204}};
inline constexpr std::size_t kKindCount = std::size(kKinds);

inline constexpr double kChartWidth = 900, kChartLeft = 78, kChartRight = kChartWidth - 16;

// Maps an interval of values to one of places.
struct Scale {
  double from, to, start, end;
  bool log = false;
  double operator()(double value) const {
    const auto at = [this](double v) { return log ? std::log10(v) : v; };
    const double wide = at(to) - at(from);
    return start + (at(value) - at(from)) / (wide == 0 ? 1 : wide) * (end - start);
  }
};

// About `count` round steps from 0 to at least `most`; bytes in powers of two.
std::vector<double> linear_ticks(double most, Unit unit, int count);
// Powers of ten around an interval.
std::vector<double> log_ticks(double low, double high);
// `1.5 M`, `2 MiB`, `20 ms`: without zeros at the end.
std::string tick_text(double value, Unit unit);
// The value with all its digits: `1.500 M`.
std::string value_text(double value, Unit unit);

// The end of a name that is too long for this many units, after `…`.
std::string name_within(std::string_view name, double room);
double text_width(std::string_view text);

// A line across the chart and its text at the left for every tick.
void draw_ticks(PlotScene& scene, const std::vector<double>& ticks, const Scale& y, Unit unit);
// The heading at the top left, and the place below it where a chart begins.
double draw_heading(PlotScene& scene, const std::string& title, const std::string& about);

}  // namespace strata
