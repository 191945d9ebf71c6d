// The module tree as areas: a layer's area is its share of a column, its colour its type.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/kinds.h"
#include "document/chart/profile_rows.h"
#include "document/chart/squarified.h"
#include "document/chart/stages.h"

namespace strata {

namespace {

// The first that is known counts.
struct Figure {
  const char *column, *title;
};
constexpr Figure kFigures[] = {{"time", "of time"}, {"macs", "MACs"}, {"params", "parameters"}};
constexpr std::size_t kFewTypes = 3;  // of fewer, colours would tell little: stages have them
constexpr double kLeft = 10;
constexpr double kDust =
    150;  // square units of a layer, on average, below which a module is one area

struct Module {
  std::string path;
  double size = 0;
  std::size_t leaves = 0;
  std::string type = {};  // of the largest layer in it
  double largest = 0;
  std::vector<Module> children = {};

  Module& child(const std::string& child_path) {
    for (Module& each : children)
      if (each.path == child_path) return each;
    return children.emplace_back(Module{child_path});
  }
  void add(const std::string& layer, std::size_t from, double amount, const std::string& kind) {
    size += amount;
    ++leaves;
    if (amount > largest) largest = amount, type = kind;
    if (from > layer.size()) return;
    const std::size_t dot = std::min(layer.find('.', from), layer.size());
    child(layer.substr(0, dot)).add(layer, dot + 1, amount, kind);
  }
};

class Drawing {
 public:
  Drawing(PlotScene& scene, Unit unit, const Kinds& kinds)
      : scene_(scene), unit_(unit), kinds_(kinds) {}

  void children(const Module& module, Area area, int level) {
    std::vector<const Module*> shown;
    for (const Module& child : module.children)
      if (child.size > 0) shown.push_back(&child);
    std::stable_sort(shown.begin(), shown.end(),
                     [](const Module* a, const Module* b) { return a->size > b->size; });
    // A module that only holds another one needs no frame of its own.
    if (shown.size() == 1 && !shown[0]->children.empty()) return children(*shown[0], area, level);
    std::vector<double> sizes;
    sizes.reserve(shown.size());
    for (const Module* child : shown) sizes.push_back(child->size);
    const std::vector<Area> places = squarified(sizes, area);
    for (std::size_t i = 0; i < shown.size(); ++i) node(*shown[i], places[i], level);
  }

 private:
  void node(const Module& module, Area area, int level) {
    if (area.width < 1 || area.height < 1) return;
    const bool dust = area.width * area.height / static_cast<double>(module.leaves) < kDust;
    if (module.children.empty() || dust || area.width < 14 || area.height < 14)
      return leaf(module, area);
    const bool titled = area.width > 50 && area.height > 40 && level < 3;
    if (titled)
      scene_.texts.push_back(
          {area.x + 3, area.y + 12, fitting(module.path, area.width - 6), kSoft});
    const double top = titled ? 16 : 1;
    children(module,
             {area.x + 1, area.y + top, std::max(1.0, area.width - 3),
              std::max(1.0, area.height - top - 2)},
             level + 1);
  }

  void leaf(const Module& module, Area area) {
    scene_.areas.push_back({area.x, area.y, std::max(0.5, area.width - 1),
                            std::max(0.5, area.height - 1), kinds_.color(module.type)});
    const PlotColor ink = kinds_.is_first(module.type) ? PlotColor{255, 255, 255} : kInk;
    if (area.width > 44 && area.height > 18)
      scene_.texts.push_back({area.x + 4, area.y + 13, fitting(module.path, area.width - 8), ink});
    if (area.width > 66 && area.height > 34)
      scene_.texts.push_back({area.x + 4, area.y + 27, value_text(module.size, unit_), ink});
  }

  static std::string fitting(const std::string& path, double room) {
    return text_width(path) <= room ? path : name_within(last_words(path), room);
  }

  PlotScene& scene_;
  Unit unit_;
  const Kinds& kinds_;
};

// The meaning of a colour: the type of a layer, or the first word of its path.
std::string kind_of(const ProfileRows& rows, std::size_t row, bool by_stage) {
  if (!by_stage) return rows.text(row, "type");
  const std::string path = rows.text(row, "layer");
  return path.substr(0, path.find('.'));
}

std::map<std::string, double> kinds_of(const ProfileRows& rows,
                                       const std::vector<std::optional<double>>& numbers,
                                       bool by_stage) {
  std::map<std::string, double> sums;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i].value_or(0) > 0) sums[kind_of(rows, i, by_stage)] += *numbers[i];
  return sums;
}

}  // namespace

std::optional<PlotScene> treemap_chart(const Document& document) {
  const auto rows = ProfileRows::of(document);
  if (!rows) return std::nullopt;
  for (const Figure& figure : kFigures) {
    const auto numbers = rows->numbers(figure.column);
    const bool by_stage = kinds_of(*rows, numbers, false).size() < kFewTypes;
    const std::map<std::string, double> sums = kinds_of(*rows, numbers, by_stage);
    Module root;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].value_or(0) > 0)
        root.add(rows->text(i, "layer"), 0, *numbers[i], kind_of(*rows, i, by_stage));
    if (!(root.size > 0)) continue;
    const Kinds kinds(sums);
    const Unit unit = rows->unit(figure.column);
    PlotScene scene;
    draw_heading(
        scene, fmt::format("{}: {} {}", rows->model(), value_text(root.size, unit), figure.title),
        fmt::format("areas with their titles are shares, frames are modules, colours are {}",
                    by_stage ? "stages" : "types of layers"));
    for (PlotText& text : scene.texts) text.x = kLeft;
    kinds.draw(scene, kLeft, 52);
    Drawing(scene, unit, kinds).children(root, {kLeft, 62, kChartWidth - 2 * kLeft, 420}, 0);
    scene.height = 62 + 420 + 10;
    return scene;
  }
  return std::nullopt;
}

}  // namespace strata
