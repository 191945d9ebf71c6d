// Bytes of activations that are alive at every layer, as stairs.
#include <algorithm>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/profile_rows.h"

namespace strata {

std::optional<PlotScene> memory_chart(const Document& document) {
  const auto rows = ProfileRows::in_order(document);
  if (!rows) return std::nullopt;
  const auto numbers = rows->numbers("alive");
  const auto peak = std::max_element(numbers.begin(), numbers.end());
  if (!*peak || !(**peak > 0)) return std::nullopt;
  PlotScene scene;
  const double top = draw_heading(scene, "Memory over the run: " + rows->model(),
                                  "activations alive while each layer runs, from left to right") +
                     14;
  const double bottom = top + 220;
  const std::vector<double> ticks = linear_ticks(**peak, Unit::Bytes, 4);
  const Scale y{0, std::max(**peak, ticks.back()), bottom, top};
  draw_ticks(scene, ticks, y, Unit::Bytes);
  const double step = (kChartRight - kChartLeft) / static_cast<double>(numbers.size());
  const auto x = [&](std::size_t i) { return kChartLeft + static_cast<double>(i) * step; };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!numbers[i]) continue;  // a gap is where the number is not known
    const double here = y(*numbers[i]);
    scene.areas.push_back({x(i), here, step + 0.3, bottom - here, kBarSoft});
    scene.lines.push_back({x(i), here, x(i + 1) + 0.3, here, kBar, 1.5});
    const bool follows = i > 0 && numbers[i - 1];
    scene.lines.push_back({x(i), follows ? y(*numbers[i - 1]) : bottom, x(i), here, kBar, 1.5});
  }
  const auto at = static_cast<std::size_t>(peak - numbers.begin());
  const double middle = x(at) + step / 2;
  const bool to_left = middle > (kChartLeft + kChartRight) / 2;
  scene.dots.push_back({middle, y(**peak), 4, kMark});
  scene.texts.push_back({middle + (to_left ? -9 : 9), y(**peak) - 5,
                         fmt::format("peak {} at {}", value_text(**peak, Unit::Bytes),
                                     name_within(rows->text(at, "layer"), 320)),
                         kInk, to_left ? PlotAnchor::End : PlotAnchor::Start});
  scene.texts.back().bold = true;
  scene.height = bottom + 16;
  return scene;
}

}  // namespace strata
