// One colour for each type of layer: the types that matter most have colours of their own.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "document/chart/scene.h"
#include "strata/document/table.h"

namespace strata {

class Kinds {
 public:
  // Kinds with their sums, of which the largest get colours.
  explicit Kinds(const std::map<std::string, double>& sums);
  // Types of layers by the sums of a column.
  Kinds(const Table& table, std::string_view column);

  PlotColor color(std::string_view kind) const;
  bool is_first(std::string_view kind) const { return !names_.empty() && names_[0] == kind; }
  // A square and a name for each, from there to the right.
  void draw(PlotScene& scene, double x, double y) const;

 private:
  std::vector<std::string> names_;
  bool others_ = false;
};

}  // namespace strata
