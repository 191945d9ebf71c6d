#include "document/chart/squarified.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace strata {

std::vector<Area> squarified(const std::vector<double>& sizes, Area whole) {
  std::vector<Area> places;
  double left = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  for (std::size_t from = 0; from < sizes.size();) {
    const double side = std::min(whole.width, whole.height);
    const double scale = whole.width * whole.height / left;
    // A row along the shorter side takes the next one in as long as its shapes get better by it.
    std::size_t to = from;
    double sum = 0, worst = std::numeric_limits<double>::infinity();
    for (; to < sizes.size(); ++to) {
      const double next = sum + sizes[to], thick = next * scale / side;
      double shape = 0;
      for (const double size : {sizes[from], sizes[to]}) {
        const double length = size * scale / thick;
        shape = std::max({shape, length / thick, thick / length});
      }
      if (to > from && shape > worst) break;
      sum = next;
      worst = shape;
    }
    const bool upright = whole.width >= whole.height;
    const double thick = sum * scale / side;
    double along = 0;
    for (std::size_t i = from; i < to; ++i) {
      const double length = sizes[i] / sum * side;
      places.push_back(upright ? Area{whole.x, whole.y + along, thick, length}
                               : Area{whole.x + along, whole.y, length, thick});
      along += length;
    }
    if (upright)
      whole.x += thick, whole.width = std::max(0.0, whole.width - thick);
    else
      whole.y += thick, whole.height = std::max(0.0, whole.height - thick);
    left -= sum;
    from = to;
  }
  return places;
}

}  // namespace strata
