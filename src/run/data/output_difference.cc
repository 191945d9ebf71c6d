#include "strata/data/output_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/detections.h"
#include "data/elements.h"

namespace strata {

namespace {

constexpr std::size_t kEnoughRows = 10;
constexpr std::int64_t kManyClasses = 1000;

std::string type_text(const HostTensor& tensor) {
  return fmt::format(
      "{} {}", name_of(tensor.dtype),
      tensor.dims.empty() ? "scalar" : fmt::format("{}", fmt::join(tensor.dims, "×")));
}

bool same_kind(DType a, DType b) { return a == b || (is_float(a) && is_float(b)); }

// The other run's outputs in the reference's order: by name if every name is there, and is one
// output's alone, or else as they come.
Result<std::vector<const HostTensor*>> matched(std::span<const HostTensor> reference,
                                               std::span<const HostTensor> other) {
  if (reference.size() != other.size())
    return failure(
        fmt::format("{} outputs where {} were expected", other.size(), reference.size()));
  std::vector<const HostTensor*> by_name, by_order;
  for (const HostTensor& wanted : reference) {
    const auto found = std::find_if(other.begin(), other.end(), [&](const HostTensor& tensor) {
      return tensor.name == wanted.name;
    });
    if (found != other.end() && std::find(by_name.begin(), by_name.end(), &*found) == by_name.end())
      by_name.push_back(&*found);
    by_order.push_back(&other[by_order.size()]);
  }
  return by_name.size() == reference.size() ? by_name : by_order;
}

struct Sums {
  double signal = 0, noise = 0;  // squares
  double dot = 0, other_signal = 0;
  double max_error = 0, largest = 0;
};

Sums sums_of(const std::vector<double>& a, const std::vector<double>& b) {
  Sums out;
  for (std::size_t i = 0; i < a.size(); ++i) {
    // Equal infinities, or NaN in both, are not a difference; in only one of the two, they are an
    // infinite one.
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    const double error = same ? 0 : std::abs(a[i] - b[i]);
    out.max_error = std::isnan(error) ? std::numeric_limits<double>::infinity()
                                      : std::max(out.max_error, error);
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) continue;
    out.largest = std::max(out.largest, std::abs(a[i]));
    out.signal += a[i] * a[i];
    out.other_signal += b[i] * b[i];
    out.dot += a[i] * b[i];
    out.noise += error * error;
  }
  return out;
}

bool is_scores(const HostTensor& tensor) {
  if (!is_float(tensor.dtype) || tensor.dims.empty() || tensor.dims.back() < 2) return false;
  return tensor.dims.size() == 2 || (tensor.dims.size() == 3 && tensor.dims.back() >= kManyClasses);
}

// The number of rows of `width` elements whose largest element is at the same index.
std::size_t same_largest(const std::vector<double>& a, const std::vector<double>& b,
                         std::size_t width) {
  std::size_t same = 0;
  for (std::size_t row = 0; row + width <= a.size(); row += width) {
    const auto place = [&](const std::vector<double>& all) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row);
      return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin;
    };
    same += place(a) == place(b) ? 1 : 0;
  }
  return same;
}

template <class T>
void keep_least(std::optional<T>& kept, T value) {
  kept = kept ? std::min(*kept, value) : value;
}

void add_output(const HostTensor& reference, const HostTensor& other, std::size_t& same_rows,
                OutputDifference& out) {
  const std::vector<double> a = elements_of(reference), b = elements_of(other);
  const Sums sums = sums_of(a, b);
  const double relative = sums.max_error == 0 ? 0
                          : sums.largest > 0  ? sums.max_error / sums.largest
                                              : std::numeric_limits<double>::infinity();
  out.max_error = std::max(out.max_error, sums.max_error);
  if (out.worst.empty() || relative > out.relative_error) {
    out.relative_error = relative;
    out.worst = reference.name;
  }
  if (std::isinf(sums.max_error))
    out.sqnr = -std::numeric_limits<double>::infinity();
  else if (sums.noise > 0)
    keep_least(out.sqnr, 10 * std::log10(sums.signal / sums.noise));
  if (sums.signal > 0 && sums.other_signal > 0)
    keep_least(out.cosine, sums.dot / std::sqrt(sums.signal * sums.other_signal));
  if (is_scores(reference)) {
    const auto width = static_cast<std::size_t>(reference.dims.back());
    same_rows += same_largest(a, b, width);
    out.rows += a.size() / width;
  }
}

}  // namespace

Result<OutputDifference> compare_outputs(std::span<const HostTensor> reference,
                                         std::span<const HostTensor> other) {
  auto pairs = matched(reference, other);
  if (!pairs) return failure(pairs);
  OutputDifference out;
  const auto found = find_detections(reference);
  const auto again = detections_at(*pairs, found);
  const bool detections = !again.empty();
  if (detections) compare_detections(found, again, out);
  std::size_t same_rows = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const HostTensor& a = reference[i];
    const HostTensor& b = *(*pairs)[i];
    if (!same_kind(a.dtype, b.dtype))
      return failure(fmt::format("output \"{}\" is {} where {} was expected", b.name, type_text(b),
                                 type_text(a)));
    // If there are detections, all outputs describe them, and their lengths depend on how many
    // there are.
    if (detections) continue;
    if (a.dims != b.dims)
      return failure(fmt::format("output \"{}\" is {} where {} was expected", b.name, type_text(b),
                                 type_text(a)));
    add_output(a, b, same_rows, out);
  }
  if (out.rows > 0) out.top1 = static_cast<double>(same_rows) / static_cast<double>(out.rows);
  return out;
}

std::string answer_mistake(const OutputDifference& difference, const AnswerLimits& limits,
                           bool lossy) {
  if (difference.matched_boxes) {
    if (*difference.matched_boxes >= limits.min_boxes) return "";
    return fmt::format("{:.0f} % of {} boxes found again, wanted {:.0f} %",
                       100 * *difference.matched_boxes, difference.boxes, 100 * limits.min_boxes);
  }
  if (std::isinf(difference.relative_error))
    return fmt::format("output \"{}\" has numbers that are none", difference.worst);
  if (!lossy) {
    if (difference.relative_error <= limits.relative_error) return "";
    return fmt::format("relative error {:.2g} in output \"{}\", wanted {:.2g}",
                       difference.relative_error, difference.worst, limits.relative_error);
  }
  if (difference.sqnr.value_or(limits.min_sqnr) < limits.min_sqnr)
    return fmt::format("SQNR {:.1f} dB, wanted {:g}", *difference.sqnr, limits.min_sqnr);
  if (difference.rows >= kEnoughRows && difference.top1.value_or(1) < limits.min_top1)
    return fmt::format("the same top-1 in {:.0f} % of {} rows, wanted {:.0f} %",
                       100 * *difference.top1, difference.rows, 100 * limits.min_top1);
  return "";
}

}  // namespace strata
