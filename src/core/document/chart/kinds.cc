#include "document/chart/kinds.h"

#include <algorithm>

#include "document/chart/axis.h"
#include "document/row_values.h"

namespace strata {

namespace {

std::map<std::string, double> sums_of(const Table& table, std::string_view column) {
  std::map<std::string, double> sums;
  for (const TableRow* row : leaves_of(table))
    sums[text_of(table, *row, "type")] += number_of(table, *row, column).value_or(0);
  sums.erase("");  // what is outside of layers has no type
  return sums;
}

}  // namespace

Kinds::Kinds(const std::map<std::string, double>& sums) {
  std::vector<std::pair<std::string, double>> all(sums.begin(), sums.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [kind, sum] : all)
    if (names_.size() + 1 < kKindCount) names_.push_back(kind);
  others_ = names_.size() < all.size();
}

Kinds::Kinds(const Table& table, std::string_view column) : Kinds(sums_of(table, column)) {}

PlotColor Kinds::color(std::string_view kind) const {
  const auto place = std::find(names_.begin(), names_.end(), kind);
  return kKinds[place == names_.end() ? kKindCount - 1
                                      : static_cast<std::size_t>(place - names_.begin())];
}

void Kinds::draw(PlotScene& scene, double x, double y) const {
  const auto add = [&](const std::string& name, PlotColor color) {
    const std::string shown = name_within(name, 140);
    scene.areas.push_back({x, y - 8, 9, 9, color});
    scene.texts.push_back({x + 14, y, shown, kInk});
    x += 14 + text_width(shown) + 16;
  };
  for (const std::string& name : names_) add(name, color(name));
  if (others_) add("others", kKinds[kKindCount - 1]);
}

}  // namespace strata
