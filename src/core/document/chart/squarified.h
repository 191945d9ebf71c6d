// Rectangles in a rectangle, as near to squares as can be (Bruls, Huizing, van Wijk 2000).
#pragma once

#include <vector>

namespace strata {

struct Area {
  double x, y, width, height;
};

// One for each size; sizes are above 0 and fall.
std::vector<Area> squarified(const std::vector<double>& sizes, Area whole);

}  // namespace strata
