// The network as nested boxes, opened as far as a document has room for: the page's graph as a
// file.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/visible.h"
#include "document/chart/axis.h"
#include "document/chart/charts.h"
#include "document/chart/graph_boxes.h"
#include "document/chart/kinds.h"
#include "document/chart/layered.h"
#include "document/chart/profile_rows.h"
#include "document/row_values.h"

namespace strata {

namespace {

// The first that any layer has shades the boxes.
struct Figure {
  const char *column, *title;
};
constexpr Figure kFigures[] = {{"time", "time"}, {"macs", "MACs"}, {"params", "parameters"}};

constexpr std::size_t kMostSeen = 60;  // boxes
constexpr double kBoxHeight = 30, kTitleHeight = 24, kPad = 12, kLeft = 10;
constexpr double kNarrow = 150, kWide = 270, kFaceRoom = 82, kEndWidth = 64, kEndHeight = 22;
constexpr PlotColor kEdge{138, 148, 160}, kPaper{255, 255, 255}, kHeat{213, 94, 0};
constexpr double kHottest = 0.56;  // of the colour's share in the shade of the largest number

PlotColor mixed(PlotColor color, double share) {
  const auto part = [share](std::uint8_t own) {
    return static_cast<std::uint8_t>(std::lround(255 - share * (255 - own)));
  };
  return {part(color.red), part(color.green), part(color.blue)};
}

class Drawing {
 public:
  Drawing(PlotScene& scene, const Document& document, const ProfileRows& rows, const Figure& figure)
      : scene_(scene),
        table_(document.tables.front()),
        column_(figure.column),
        unit_(rows.unit(figure.column)),
        kinds_(table_, figure.column) {}

  void draw(GraphBox& root, double top) {
    const LayeredBox size = lay_out(root);
    most_ = most_seen(root);
    scene_.width = std::max(kChartWidth, size.width + 2 * kLeft);
    paint_inside(root, (scene_.width - size.width) / 2, top);
    scene_.height = top + size.height + kPad;
  }

  void draw_legend(const char* title, double y) {
    double x = kLeft;
    const auto text = [&](const std::string& words, PlotColor color) {
      scene_.texts.push_back({x, y, words, color});
      x += text_width(words) + 6;
    };
    text("0", kInk);
    constexpr int kShades = 8;
    for (int i = 0; i <= kShades; ++i, x += 11)
      scene_.areas.push_back({x, y - 8, 11, 9, mixed(kHeat, kHottest * i / kShades)});
    x += 6;
    text(fmt::format("{} {}", value_text(most_, unit_), title), kInk);
    kinds_.draw(scene_, x + 12, y);
  }

 private:
  struct Placed {
    LayeredPlaces places;
    std::vector<LayeredBox> sizes;  // of the children
    double left = 0, top = 0;       // of the inside
  };

  // The sum over the layers of a box; nothing if one of them is not known.
  std::optional<double> number(const GraphBox& box) const {
    if (box.row) {
      const TableRow& row = table_.rows[*box.row];
      const Cell* cell = cell_of(table_, row, column_);
      // The row of another layer has the number, or there is none.
      if (cell != nullptr && cell->is_unknown() && cell->meaning != Meaning::Plain) return 0;
      return number_of(table_, row, column_);
    }
    double sum = 0;
    for (const auto& child : box.children) {
      const auto one = number(*child);
      if (!one) return std::nullopt;
      sum += *one;
    }
    return sum;
  }

  double most_seen(const GraphBox& box) const {
    double most = 0;
    for (const auto& child : box.children)
      most = std::max(most, child->open ? most_seen(*child) : number(*child).value_or(0));
    return most;
  }

  // A number alone says little, so it has the module's name before it: `layer1.0`.
  static std::string name_of(const GraphBox& box) {
    const bool is_number = box.name.find_first_not_of("0123456789") == box.name.npos;
    return visible(is_number && box.parent != nullptr && !box.parent->name.empty()
                       ? box.parent->name + "." + box.name
                       : box.name);
  }

  std::string label(const GraphBox& box) const {
    if (!box.row)
      return fmt::format("{}, {} layer{}", name_of(box), box.layers, box.layers == 1 ? "" : "s");
    const std::string type = visible(text_of(table_, table_.rows[*box.row], "type"));
    const std::string name = name_of(box);
    return type.empty() || type == name ? name : name + " " + type;
  }

  // Lays out the inside of every open box, the innermost first.
  LayeredBox lay_out(const GraphBox& box) {
    if (!box.open)
      return {.width = std::clamp(text_width(label(box)) + kFaceRoom, kNarrow, kWide),
              .height = kBoxHeight};
    Placed placed;
    const bool is_root = box.parent == nullptr;
    for (const auto& child : box.children) placed.sizes.push_back(lay_out(*child));
    LayeredGraph graph{.boxes = placed.sizes,
                       .links = {},
                       .entered = {box.entered.begin(), box.entered.end()},
                       .left = {box.left.begin(), box.left.end()},
                       .end = {.width = 2}};
    if (is_root) graph.end = {.width = kEndWidth, .height = kEndHeight};
    for (const auto& [from, to] : box.links) graph.links.push_back({from, to});
    placed.places = layered(graph);
    const LayeredPlaces& places = placed.places;
    const double own = std::max(places.width, is_root ? 0 : text_width(name_of(box)) + 20);
    const double shift = (own - places.width) / 2;
    placed.left = kPad + shift;
    placed.top = is_root ? kPad : box.entered.empty() ? kTitleHeight + 6 : 0;
    const LayeredBox size{
        .width = own + 2 * kPad,
        .height = placed.top + places.height + (box.left.empty() || is_root ? kPad : 0),
        .in = box.entered.empty() ? 0 : shift + places.enter.x - own / 2,
        .out = box.left.empty() ? 0 : shift + places.leave.x - own / 2};
    placed_[&box] = std::move(placed);
    return size;
  }

  void paint_inside(const GraphBox& box, double x, double y) {
    const Placed& placed = placed_[&box];
    const double left = x + placed.left, top = y + placed.top;
    for (const LayeredLine& line : placed.places.lines) {
      const PlotCurve curve{left + line.x1, top + line.y1, left + line.x2,          top + line.y2,
                            kEdge,          1.2,           line.is_back ? 4.0 : 0.0};
      scene_.curves.push_back(curve);
      if (!line.arrives) continue;
      for (const double side : {-3.5, 3.5})
        scene_.lines.push_back({curve.x2 + side, curve.y2 - 6, curve.x2, curve.y2, kEdge, 1.2});
    }
    if (box.parent == nullptr) {
      if (!box.entered.empty()) paint_end("input", placed.places.enter, left, top);
      if (!box.left.empty()) paint_end("output", placed.places.leave, left, top);
    }
    for (std::size_t i = 0; i < box.children.size(); ++i) {
      const LayeredPoint& corner = placed.places.corners[i];
      paint(*box.children[i], {left + corner.x, top + corner.y, placed.sizes[i].width,
                               placed.sizes[i].height, kPaper});
    }
  }

  void paint_end(const char* name, const LayeredPoint& at, double left, double top) {
    scene_.areas.push_back({left + at.x - kEndWidth / 2, top + at.y, kEndWidth, kEndHeight, kBand});
    scene_.texts.push_back({left + at.x, top + at.y + 15, name, kSoft, PlotAnchor::Middle});
  }

  // A frame is a box in the colour of lines below a smaller one.
  static void frame(std::vector<PlotBox>& boxes, const PlotBox& place, PlotColor color) {
    boxes.push_back({place.x, place.y, place.width, place.height, kEdge});
    boxes.push_back({place.x + 0.8, place.y + 0.8, place.width - 1.6, place.height - 1.6, color});
  }

  void paint(const GraphBox& box, const PlotBox& place) {
    if (box.open) {
      frame(scene_.areas, place, box.depth % 2 == 0 ? kPaper : kBand);
      scene_.texts.push_back({place.x + 8, place.y + 16, name_of(box), kInk});
      scene_.texts.back().bold = true;
      return paint_inside(box, place.x, place.y);
    }
    const auto amount = number(box);
    const double share = amount && most_ > 0 ? std::sqrt(*amount / most_) : 0;
    frame(scene_.boxes, place, mixed(kHeat, kHottest * share));
    if (box.row)
      scene_.boxes.push_back({place.x + 2, place.y + 4, 4, place.height - 8,
                              kinds_.color(text_of(table_, table_.rows[*box.row], "type"))});
    const std::string figure = !amount ? "?" : *amount == 0 ? "" : value_text(*amount, unit_);
    const double room = place.width - 24 - text_width(figure);
    std::string name = label(box);
    if (text_width(name) > room) name = name_within(name_of(box), room);
    scene_.texts.push_back({place.x + 10, place.y + 19, name, kInk});
    if (!figure.empty())
      scene_.texts.push_back(
          {place.x + place.width - 8, place.y + 19, figure, kInk, PlotAnchor::End});
  }

  PlotScene& scene_;
  const Table& table_;
  const char* column_;
  Unit unit_;
  Kinds kinds_;
  double most_ = 0;
  std::map<const GraphBox*, Placed> placed_ = {};
};

}  // namespace

std::optional<PlotScene> graph_chart(const Document& document) {
  const auto rows = ProfileRows::in_order(document);
  if (!rows) return std::nullopt;
  const std::unique_ptr<GraphBox> root = graph_boxes(document.tables.front());
  if (root == nullptr) return std::nullopt;
  const std::size_t closed = open_levels(*root, kMostSeen);
  for (const Figure& figure : kFigures) {
    const auto numbers = rows->numbers(figure.column);
    if (std::none_of(numbers.begin(), numbers.end(),
                     [](const auto& number) { return number.value_or(0) > 0; }))
      continue;
    PlotScene scene;
    std::string about = "boxes are modules and layers, lines are the values that layers read";
    if (closed > 0)
      about += fmt::format("; the page opens {} more level{}", closed, closed == 1 ? "" : "s");
    draw_heading(scene, fmt::format("{}: the network, by {}", rows->model(), figure.title), about);
    for (PlotText& text : scene.texts) text.x = kLeft;
    Drawing drawing(scene, document, *rows, figure);
    drawing.draw(*root, 60);
    drawing.draw_legend(figure.title, 52);
    return scene;
  }
  return std::nullopt;
}

}  // namespace strata
