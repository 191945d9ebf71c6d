#include <algorithm>

#include "read/weights/formats.h"
#include "strata/base/expr.h"

namespace strata {

double StoredWeight::bits_per_weight() const {
  return elements == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(elements);
}

void WeightTotals::add(const StoredWeight& weight) {
  ++tensors;
  if (!weight.same_as.empty()) {
    ++shared;
    return;
  }
  (weight.statistics ? statistics : params) += weight.elements;
  bytes += weight.bytes;
}

double WeightTotals::bits_per_weight() const {
  const std::uint64_t elements = params + statistics;
  return elements == 0 ? 0 : 8 * static_cast<double>(bytes) / static_cast<double>(elements);
}

WeightTotals totals_of(const Weights& weights) {
  WeightTotals totals;
  for (const StoredWeight& weight : weights.tensors) totals.add(weight);
  return totals;
}

namespace weights {

std::optional<std::uint64_t> elements_of(std::span<const std::int64_t> dims) {
  std::int64_t product = 1;
  bool is_empty = false;
  for (const std::int64_t size : dims) {
    if (size < 0) return std::nullopt;
    is_empty = is_empty || size == 0;
  }
  if (is_empty) return 0;
  for (const std::int64_t size : dims)
    if (__builtin_mul_overflow(product, size, &product) || product > Expr::kMaxNumber)
      return std::nullopt;
  return static_cast<std::uint64_t>(product);
}

std::optional<Overlap> find_overlap(std::vector<Extent>& extents) {
  std::erase_if(extents, [](const Extent& extent) { return extent.begin == extent.end; });
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  for (std::size_t i = 1; i < extents.size(); ++i)
    if (extents[i].begin < extents[i - 1].end)
      return Overlap{extents[i - 1].tensor, extents[i].tensor};
  return std::nullopt;
}

bool is_statistics(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return last == "running_mean" || last == "running_var" || last == "num_batches_tracked";
}

}  // namespace weights
}  // namespace strata
