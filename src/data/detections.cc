#include "data/detections.h"

#include <algorithm>
#include <cmath>

#include "data/elements.h"

namespace strata {

namespace {

constexpr double kSameBox = 0.5;  // overlap

// Drops a first axis of 1 if there are more axes than `rank`.
std::vector<std::int64_t> dims_of(const HostTensor& tensor, std::size_t rank) {
  std::vector<std::int64_t> dims = tensor.dims;
  if (dims.size() == rank + 1 && dims.front() == 1) dims.erase(dims.begin());
  return dims;
}

bool is_boxes(const HostTensor& tensor) {
  const auto dims = dims_of(tensor, 2);
  return is_float(tensor.dtype) && dims.size() == 2 && dims[1] == 4;
}

bool is_list(const HostTensor& tensor) { return dims_of(tensor, 1).size() == 1; }

std::int64_t length(const HostTensor& tensor, std::size_t rank) {
  return dims_of(tensor, rank).front();
}

std::optional<Detections> take(const HostTensor& boxes, const HostTensor& scores,
                               const HostTensor& labels) {
  if (!is_boxes(boxes) || !is_list(scores) || !is_list(labels)) return std::nullopt;
  if (!is_float(scores.dtype) || !is_integer(labels.dtype)) return std::nullopt;
  const std::int64_t count = length(boxes, 2);
  if (length(scores, 1) != count || length(labels, 1) != count) return std::nullopt;
  const auto corners = elements_of(boxes), score = elements_of(scores), label = elements_of(labels);
  Detections out{};
  for (std::size_t i = 0; i < score.size() && i < label.size() && 4 * i + 3 < corners.size(); ++i)
    out.boxes.push_back(
        {{corners[4 * i], corners[4 * i + 1], corners[4 * i + 2], corners[4 * i + 3]},
         static_cast<std::int64_t>(label[i]),
         score[i]});
  return out;
}

bool says(const HostTensor& tensor, std::string_view word) {
  return tensor.name.find(word) != tensor.name.npos;
}

}  // namespace

std::optional<Detections> find_detections(std::span<const HostTensor> outputs) {
  std::optional<Detections> best;
  int most = -1;
  for (std::size_t b = 0; b < outputs.size(); ++b)
    for (std::size_t s = 0; s < outputs.size(); ++s)
      for (std::size_t l = 0; l < outputs.size(); ++l) {
        if (b == s || b == l || s == l || !is_boxes(outputs[b])) continue;
        const int names = (says(outputs[b], "box") ? 1 : 0) + (says(outputs[s], "score") ? 1 : 0) +
                          (says(outputs[l], "label") ? 1 : 0);
        if (names <= most) continue;
        auto found = take(outputs[b], outputs[s], outputs[l]);
        if (!found) continue;
        found->boxes_at = b, found->scores_at = s, found->labels_at = l;
        best = std::move(found);
        most = names;
      }
  return best;
}

std::optional<Detections> detections_at(std::span<const HostTensor* const> outputs,
                                        const Detections& like) {
  return take(*outputs[like.boxes_at], *outputs[like.scores_at], *outputs[like.labels_at]);
}

double overlap(const Box& a, const Box& b) {
  const auto side = [](double low, double high) { return std::max(0.0, high - low); };
  const auto area = [&](const Box& box) {
    return side(box.corners[0], box.corners[2]) * side(box.corners[1], box.corners[3]);
  };
  const double both =
      side(std::max(a.corners[0], b.corners[0]), std::min(a.corners[2], b.corners[2])) *
      side(std::max(a.corners[1], b.corners[1]), std::min(a.corners[3], b.corners[3]));
  const double any = area(a) + area(b) - both;
  if (any > 0) return both / any;
  return std::equal(a.corners, a.corners + 4, b.corners) ? 1 : 0;  // neither has an area
}

void compare_detections(const Detections& reference, const Detections& other,
                        OutputDifference& out) {
  struct Pair {
    double overlap;
    std::size_t a, b;
  };
  std::vector<Pair> pairs;
  for (std::size_t a = 0; a < reference.boxes.size(); ++a)
    for (std::size_t b = 0; b < other.boxes.size(); ++b) {
      if (reference.boxes[a].label != other.boxes[b].label) continue;
      const double share = overlap(reference.boxes[a], other.boxes[b]);
      if (share >= kSameBox) pairs.push_back({share, a, b});
    }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.overlap > b.overlap; });
  std::vector<bool> used_a(reference.boxes.size()), used_b(other.boxes.size());
  std::size_t matched = 0;
  double largest = 0;
  for (const Box& box : reference.boxes)
    for (const double corner : box.corners) largest = std::max(largest, std::abs(corner));
  for (const Pair& pair : pairs) {
    if (used_a[pair.a] || used_b[pair.b]) continue;
    used_a[pair.a] = used_b[pair.b] = true;
    ++matched;
    for (int i = 0; i < 4; ++i)
      out.max_error = std::max(out.max_error, std::abs(reference.boxes[pair.a].corners[i] -
                                                       other.boxes[pair.b].corners[i]));
  }
  out.relative_error = largest > 0 ? out.max_error / largest : 0;
  out.boxes = std::max(reference.boxes.size(), other.boxes.size());
  out.matched_boxes =
      out.boxes > 0 ? static_cast<double>(matched) / static_cast<double>(out.boxes) : 1;
}

}  // namespace strata
