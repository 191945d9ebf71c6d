#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/bench_text.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

constexpr std::size_t kMostCells = 40, kMinCells = 10;

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// Full up to the low end, shaded up to the high end; to an eighth of a cell where the
// interval is narrower than one.
std::string bar(double median, const std::optional<Interval>& interval, double most,
                std::size_t cells) {
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  const double scale = static_cast<double>(cells) / most;
  const auto low = static_cast<std::size_t>((interval ? interval->low : median) * scale);
  const auto high =
      static_cast<std::size_t>(std::ceil((interval ? interval->high : median) * scale - 1e-9));
  if (interval && high > low + 1) return repeated("█", low) + repeated("▒", high - low);
  const auto eighths = static_cast<std::size_t>(std::lround(median * scale * 8));
  return repeated("█", eighths / 8) + std::string(kEighths[eighths % 8]);
}

}  // namespace

std::string bench_bars(const BenchGroup& group, std::size_t width) {
  struct Line {
    std::string name, figures;
    double median;
    std::optional<Interval> interval;
  };
  std::vector<Line> lines;
  double most = 0;
  bool batches = false;
  std::size_t name_width = 0, figures_width = 0;
  for (const VariantResult& result : group.result.variants) {
    if (result.failure != Failure::None || result.runs() == 0) continue;
    const Summary summary = result.summary();
    const auto batch = static_cast<double>(result.variant.batch);
    batches = batches || batch > 1;
    Line line{variant_text(result.variant), human_seconds(summary.median / batch),
              summary.median / batch, std::nullopt};
    most = std::max(most, line.median);
    if (summary.interval) {
      line.interval = {summary.interval->low / batch, summary.interval->high / batch};
      line.figures += fmt::format(" [{}, {}]", human_seconds(line.interval->low),
                                  human_seconds(line.interval->high));
      most = std::max(most, line.interval->high);
    }
    name_width = std::max(name_width, display_width(line.name));
    figures_width = std::max(figures_width, display_width(line.figures));
    lines.push_back(std::move(line));
  }
  if (lines.size() < 2 || !(most > 0)) return "";
  const std::size_t around = name_width + figures_width + 4;
  const std::size_t cells =
      width == 0 ? kMostCells
                 : std::clamp(width > around ? width - around : 0, kMinCells, kMostCells);
  std::string out = fmt::format("{}, median{} and 95 % interval\n", group_text(group),
                                batches ? " time of a sample" : "");
  for (const Line& line : lines) {
    const std::string name = line.name + std::string(name_width - display_width(line.name), ' ');
    out += fmt::format("  {} {} {}\n", name, bar(line.median, line.interval, most, cells),
                       line.figures);
  }
  return out;
}

}  // namespace strata
