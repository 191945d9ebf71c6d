#include "data/detections.h"

#include <algorithm>
#include <cmath>

#include "data/elements.h"

namespace strata {

namespace {

constexpr double kSame = 0.5;    // overlap of boxes, and of masks
constexpr double kInMask = 0.5;  // the least element of a mask that is part of the object

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

bool says(const HostTensor& tensor, std::string_view word) {
  return tensor.name.find(word) != tensor.name.npos;
}

// A mask is a picture with one channel, which need not be an axis if the name says "mask".
bool is_masks(const HostTensor& tensor, std::int64_t count) {
  const auto& dims = tensor.dims;
  if (!is_float(tensor.dtype) || dims.empty() || dims.front() != count) return false;
  return (dims.size() == 4 && dims[1] == 1) || (dims.size() == 3 && says(tensor, "mask"));
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

// The first output that fits and is not taken, or the first that also has the word in its name.
template <class Fits>
std::optional<std::size_t> first_that(std::span<const HostTensor> outputs,
                                      const std::vector<bool>& taken, std::string_view word,
                                      Fits fits) {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (taken[i] || !fits(outputs[i])) continue;
    if (says(outputs[i], word)) return i;
    if (!first) first = i;
  }
  return first;
}

// The elements of the mask at `index`; fewer if the tensor is shorter than its shape says.
std::vector<double> mask_at(const HostTensor& masks, std::size_t index) {
  const auto count = static_cast<std::size_t>(masks.dims.front());
  HostTensor one{"", masks.dtype, {masks.dims.begin() + 1, masks.dims.end()}, {}};
  const std::size_t bytes = masks.data.size() / count;
  const auto begin = masks.data.begin() + static_cast<std::ptrdiff_t>(index * bytes);
  one.data.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  return elements_of(one);
}

// True if two masks cover the same part of the image. Masks of different sizes do not.
bool same_mask(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  std::size_t both = 0, any = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool in_a = a[i] >= kInMask, in_b = b[i] >= kInMask;
    both += in_a && in_b ? 1 : 0;
    any += in_a || in_b ? 1 : 0;
  }
  return static_cast<double>(both) >= kSame * static_cast<double>(any);
}

struct Match {
  double overlap;
  std::size_t a, b;
};

// Boxes of one image that are found in the other's.
std::vector<Match> matches_of(const Detections& reference, const Detections& other) {
  std::vector<Match> pairs, found;
  for (std::size_t a = 0; a < reference.boxes.size(); ++a)
    for (std::size_t b = 0; b < other.boxes.size(); ++b) {
      if (reference.boxes[a].label != other.boxes[b].label) continue;
      const double share = overlap(reference.boxes[a], other.boxes[b]);
      if (share >= kSame) pairs.push_back({share, a, b});
    }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Match& a, const Match& b) { return a.overlap > b.overlap; });
  std::vector<bool> used_a(reference.boxes.size()), used_b(other.boxes.size());
  for (const Match& pair : pairs) {
    if (used_a[pair.a] || used_b[pair.b]) continue;
    used_a[pair.a] = used_b[pair.b] = true;
    if (reference.masks == nullptr ||
        same_mask(mask_at(*reference.masks, pair.a), mask_at(*other.masks, pair.b)))
      found.push_back(pair);
  }
  return found;
}

}  // namespace

std::vector<Detections> find_detections(std::span<const HostTensor> outputs) {
  std::vector<Detections> groups;
  std::vector<bool> taken(outputs.size());
  std::vector<int> named;  // how many names of each group say what the output is
  for (std::size_t b = 0; b < outputs.size(); ++b) {
    if (taken[b] || !is_boxes(outputs[b])) continue;
    const std::int64_t count = length(outputs[b], 2);
    const auto is_row = [&](const HostTensor& t) { return is_list(t) && length(t, 1) == count; };
    const auto scores = first_that(outputs, taken, "score", [&](const HostTensor& tensor) {
      return is_float(tensor.dtype) && is_row(tensor);
    });
    const auto labels = first_that(outputs, taken, "label", [&](const HostTensor& tensor) {
      return is_integer(tensor.dtype) && is_row(tensor);
    });
    if (!scores || !labels) continue;
    auto found = take(outputs[b], outputs[*scores], outputs[*labels]);
    if (!found) continue;
    found->boxes_at = b, found->scores_at = *scores, found->labels_at = *labels;
    found->masks_at =
        first_that(outputs, taken, "mask", [&](const HostTensor& t) { return is_masks(t, count); });
    if (found->masks_at) found->masks = &outputs[*found->masks_at];
    for (const std::size_t at : {b, *scores, *labels, found->masks_at.value_or(b)})
      taken[at] = true;
    named.push_back((says(outputs[b], "box") ? 1 : 0) + (says(outputs[*scores], "score") ? 1 : 0) +
                    (says(outputs[*labels], "label") ? 1 : 0));
    groups.push_back(std::move(*found));
  }
  if (groups.empty()) return groups;
  std::vector<Detections> best;
  const int most = *std::max_element(named.begin(), named.end());
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (named[i] == most) best.push_back(std::move(groups[i]));
  return best;
}

std::vector<Detections> detections_at(std::span<const HostTensor* const> outputs,
                                      std::span<const Detections> like) {
  std::vector<Detections> all;
  for (const Detections& own : like) {
    auto found = take(*outputs[own.boxes_at], *outputs[own.scores_at], *outputs[own.labels_at]);
    if (!found) return {};
    if (own.masks_at) {
      found->masks = outputs[*own.masks_at];
      if (!is_masks(*found->masks, static_cast<std::int64_t>(found->boxes.size()))) return {};
    }
    all.push_back(std::move(*found));
  }
  return all;
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

void compare_detections(std::span<const Detections> reference, std::span<const Detections> other,
                        OutputDifference& out) {
  std::size_t matched = 0;
  double largest = 0;
  for (std::size_t image = 0; image < reference.size(); ++image) {
    const auto& own = reference[image].boxes;
    const auto& others = other[image].boxes;
    for (const Box& box : own)
      for (const double corner : box.corners) largest = std::max(largest, std::abs(corner));
    for (const Match& match : matches_of(reference[image], other[image])) {
      ++matched;
      for (int i = 0; i < 4; ++i)
        out.max_error =
            std::max(out.max_error, std::abs(own[match.a].corners[i] - others[match.b].corners[i]));
    }
    out.boxes += std::max(own.size(), others.size());
  }
  out.relative_error = largest > 0 ? out.max_error / largest : 0;
  out.matched_boxes =
      out.boxes > 0 ? static_cast<double>(matched) / static_cast<double>(out.boxes) : 1;
}

}  // namespace strata
