#include "ops/suppression.h"

#include <algorithm>

namespace strata {

namespace {

struct Box {
  double low[2], high[2];

  double area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

Box box_of(std::span<const double> v, bool centered) {
  Box box{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double first = centered ? v[axis] - v[axis + 2] / 2 : v[axis];
    const double second = centered ? v[axis] + v[axis + 2] / 2 : v[axis + 2];
    box.low[axis] = std::min(first, second);
    box.high[axis] = std::max(first, second);
  }
  return box;
}

bool overlaps(const Box& a, const Box& b, double threshold) {
  double common = 1;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double side = std::min(a.high[axis], b.high[axis]) - std::max(a.low[axis], b.low[axis]);
    if (!(side > 0)) return false;
    common *= side;
  }
  return common > threshold * (a.area() + b.area() - common);
}

}  // namespace

std::vector<std::array<std::int64_t, 3>> suppress(const Suppression& input) {
  std::vector<std::array<std::int64_t, 3>> kept;
  if (input.boxes == 0) return kept;
  std::vector<std::size_t> order;
  std::vector<Box> chosen;
  for (std::size_t batch = 0; batch < input.batches; ++batch) {
    const auto corners = input.corners.subspan(batch * input.boxes * 4, input.boxes * 4);
    for (std::size_t cls = 0; cls < input.classes; ++cls) {
      const auto scores =
          input.scores.subspan((batch * input.classes + cls) * input.boxes, input.boxes);
      order.clear();
      for (std::size_t i = 0; i < input.boxes; ++i)
        if (!input.has_least_score || scores[i] > input.least_score) order.push_back(i);
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
      chosen.clear();
      for (const std::size_t i : order) {
        if (static_cast<std::int64_t>(chosen.size()) >= input.most) break;
        const Box box = box_of(corners.subspan(i * 4, 4), input.centered);
        const bool dropped = std::any_of(chosen.begin(), chosen.end(), [&](const Box& other) {
          return overlaps(box, other, input.overlap);
        });
        if (dropped) continue;
        chosen.push_back(box);
        kept.push_back({static_cast<std::int64_t>(batch), static_cast<std::int64_t>(cls),
                        static_cast<std::int64_t>(i)});
      }
    }
  }
  return kept;
}

}  // namespace strata
