#include "document/chart/stages.h"

#include <algorithm>

#include "document/chart/axis.h"

namespace strata {

namespace {

constexpr std::size_t kDeepest = 6;

std::string first_words(const std::string& path, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end != path.npos; --count) end = path.find('.', end == 0 ? 0 : end + 1);
  return path.substr(0, end);
}

std::vector<PathRun> runs_of(const std::vector<std::string>& paths, std::size_t depth) {
  std::vector<PathRun> runs;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::string name = first_words(paths[i], depth);
    if (!runs.empty() && runs.back().name == name)
      runs.back().to = i + 1;
    else
      runs.push_back({i, i + 1, std::move(name)});
  }
  return runs;
}

}  // namespace

std::vector<PathRun> stages_of(const std::vector<std::string>& paths) {
  std::size_t deepest = 1;
  for (const std::string& path : paths)
    deepest =
        std::max(deepest, static_cast<std::size_t>(std::count(path.begin(), path.end(), '.')) + 1);
  deepest = std::min(deepest, kDeepest);
  for (std::size_t depth = 1;; ++depth) {
    std::vector<PathRun> runs = runs_of(paths, depth);
    const auto large = std::count_if(runs.begin(), runs.end(),
                                     [](const PathRun& run) { return run.to - run.from > 1; });
    if (large >= 3 || depth == deepest) return runs;
  }
}

std::string last_words(const std::string& path) {
  std::size_t dot = path.rfind('.');
  if (dot == path.npos) return path;
  std::string last = path.substr(dot + 1);
  if (last.find_first_not_of("0123456789") != last.npos || dot == 0) return last;
  dot = path.rfind('.', dot - 1);
  return dot == path.npos ? path : path.substr(dot + 1);
}

void draw_stages(PlotScene& scene, const std::vector<PathRun>& stages, double step, double top,
                 double bottom) {
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const double left = kChartLeft + static_cast<double>(stages[i].from) * step;
    const double wide = static_cast<double>(stages[i].to - stages[i].from) * step;
    if (i % 2 == 0) scene.areas.push_back({left, top, wide, bottom - top, kBand});
    std::string name = name_within(stages[i].name, wide - 4);
    if (name.empty() || name.starts_with("…")) name = last_words(stages[i].name);
    if (text_width(name) <= wide - 2)
      scene.texts.push_back({left + wide / 2, top + 11, name, kSoft, PlotAnchor::Middle});
  }
}

}  // namespace strata
