// The plot in a terminal: a bar of eighths for each layer.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/visible.h"
#include "report/sensitivity_plot.h"
#include "report/sensitivity_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kRows = 8, kMostCells = 3, kUsualWidth = 100;
constexpr std::array<std::string_view, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::string on_left(const std::string& text, std::size_t width) {
  const std::size_t own = display_width(text);
  return std::string(own < width ? width - own : 0, ' ') + text;
}

// The worst of the layers that share a column.
std::optional<double> worst(Quality quality, std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return a ? a : b;
  return quality == Quality::Kl ? std::max(*a, *b) : std::min(*a, *b);
}

}  // namespace

std::string sensitivity_to_blocks(const SensitivityRun& run, std::size_t width, bool color) {
  const auto plot = sensitivity_plot(run);
  if (!plot) return "";
  if (width == 0) width = kUsualWidth;
  const std::string top = quality_text(run.quality, plot->high);
  const std::string bottom = quality_text(run.quality, plot->low);
  const std::string middle = plot->line ? quality_text(run.quality, *plot->line) : "";
  const std::size_t margin =
      std::max({display_width(top), display_width(bottom), display_width(middle)});
  const std::size_t room = width > margin + 12 ? width - margin - 2 : 10;
  const std::size_t count = plot->points.size();
  const std::size_t cells = std::clamp<std::size_t>(room / count, 1, kMostCells);
  const std::size_t columns = std::min(room / cells, count);
  const auto column_of = [&](std::size_t layer) { return layer * columns / count; };

  std::vector<std::optional<double>> values(columns);
  for (std::size_t l = 0; l < count; ++l) {
    auto& slot = values[column_of(l)];
    slot = worst(run.quality, slot, plot->points[l].value);
  }
  const auto eighths = [&](double value) {
    const double share =
        std::isinf(value) ? (value > 0 ? 1 : 0) : (value - plot->low) / (plot->high - plot->low);
    const auto full = static_cast<std::size_t>(
        std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(8 * kRows)));
    return std::max<std::size_t>(full, 1);
  };
  std::optional<std::size_t> line_row;  // from below
  if (plot->line && std::isfinite(*plot->line))
    line_row = std::min((eighths(*plot->line) - 1) / 8, kRows - 1);

  const std::string red = color ? "\x1b[31m" : "", back = color ? "\x1b[0m" : "";
  std::string out = quality_title(run.quality) + " by layer, in running order";
  if (columns < count)
    out += fmt::format("; a column is the worst of up to {}", (count + columns - 1) / columns);
  if (line_row) out += fmt::format("; {}──{} {}", red, back, plot->line_label);
  out += "\n";
  const std::string dash = fmt::format("{}─{}", red, back);
  for (std::size_t row = kRows; row-- > 0;) {
    const bool red_row = line_row == row;
    std::string axis = row + 1 == kRows ? top : row == 0 ? bottom : "";
    if (red_row) axis = middle;
    out += (red_row ? red : "") + on_left(axis, margin) + (red_row ? "─┤" + back : " │");
    std::string body;
    for (const auto& value : values) {
      const std::size_t height = value ? eighths(*value) : 0;
      const std::size_t here = height > 8 * row ? std::min<std::size_t>(height - 8 * row, 8) : 0;
      for (std::size_t c = 0; c < cells; ++c) {
        const bool gap = cells > 1 && c + 1 == cells;
        const std::size_t fill = gap ? 0 : here;
        if (fill == 0 && red_row)
          body += dash;
        else
          body += kEighths[fill];
      }
    }
    while (body.ends_with(' ')) body.pop_back();
    out += body + "\n";
  }
  // Numbers below the dips; the first of several in one column.
  std::string marks(columns * cells, ' ');
  for (std::size_t d = plot->dips.size(); d-- > 0;)
    marks[column_of(plot->dips[d]) * cells] = static_cast<char>('1' + d);
  while (marks.ends_with(' ')) marks.pop_back();
  out += std::string(margin + 2, ' ') + marks + "\n";
  for (std::size_t d = 0; d < plot->dips.size(); ++d) {
    const std::size_t layer = plot->dips[d];
    const SensitivityLayer& facts = run.layers[layer];
    out += fmt::format("{}{} {}{}  {}\n", std::string(margin + 2, ' '), d + 1, visible(facts.path),
                       facts.block.empty() ? "" : " (" + visible(facts.block) + ")",
                       quality_with_unit(run.quality, *plot->points[layer].value));
  }
  return out;
}

}  // namespace strata
