#include "ops/elements.h"

#include "ops/common.h"

namespace strata {

const Value* elements_of(ShapeContext& c, std::size_t i) {
  if (!worth_folding(c, i) || !c.ranked(i)) return nullptr;
  const Value* value = c.value(i);
  if (value == nullptr || value->dims.size() != c.rank(i)) return nullptr;
  const auto count = small_count(value->dims);
  if (!count || *count != value->size()) return nullptr;
  for (std::size_t axis = 0; axis < c.rank(i); ++axis) {
    if (!c.dims(i)[axis].is(value->dims[axis])) return nullptr;
  }
  return value;
}

std::optional<std::size_t> small_count(std::span<const std::int64_t> dims) {
  std::int64_t count = 1;
  for (const std::int64_t d : dims) {
    if (d < 0 || d > kMaxValueElements) return std::nullopt;
    count *= d;
    if (count > kMaxValueElements) return std::nullopt;
  }
  return static_cast<std::size_t>(count);
}

std::optional<ValueDims> known_dims(const Dims& dims) {
  ValueDims numbers;
  for (const Expr& d : dims) {
    if (!d.is_number()) return std::nullopt;
    numbers.push_back(d.value());
  }
  if (!small_count(numbers)) return std::nullopt;
  return numbers;
}

ValueDims strides_of(std::span<const std::int64_t> dims) {
  ValueDims strides(dims.size());
  std::int64_t stride = 1;
  for (std::size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

Value strided(const Value& from, const ValueDims& dims, std::int64_t start,
              std::span<const std::int64_t> strides) {
  Value value{from.type, dims, {}};
  const std::size_t count = small_count(dims).value_or(0);
  value.items.reserve(count);
  if (dims.empty()) value.items.push_back(from.items[static_cast<std::size_t>(start)]);
  if (dims.empty() || count == 0) return value;
  // Row after row along the last axis.
  const std::int64_t length = dims.back(), step = strides[dims.size() - 1];
  ValueDims index(dims.size() - 1, 0);
  while (value.items.size() < count) {
    std::int64_t at = start;
    for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * strides[i];
    const Scalar* items = from.items.data() + at;
    for (std::int64_t i = 0; i < length; ++i) value.items.push_back(items[i * step]);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < dims[axis]) break;
      index[axis] = 0;
    }
  }
  return value;
}

Value picked(const Value& from, ValueDims dims, std::size_t axis,
             std::span<const std::int64_t> positions) {
  const ValueDims strides = strides_of(dims);
  dims[axis] = static_cast<std::int64_t>(positions.size());
  return filled(from.type, dims, [&](std::span<const std::int64_t> index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      at += strides[i] * (i == axis ? positions[static_cast<std::size_t>(index[i])] : index[i]);
    }
    return from.items[static_cast<std::size_t>(at)];
  });
}

std::int64_t count_of(std::span<const std::int64_t> dims, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  for (std::size_t i = first; i < last; ++i) count *= dims[i];
  return count;
}

std::optional<long double> exact_number(const Scalar& item) {
  if (!item.is_real()) {
    const Expr whole = item.whole();
    if (!whole.is_number()) return std::nullopt;
    return static_cast<long double>(whole.value());
  }
  const auto number = item.number();
  return number ? std::optional<long double>(*number) : std::nullopt;
}

Expr known_or_fresh(ShapeContext& c, const Expr& size, std::string_view hint) {
  return size.is_unknown() && !size.is_overflow() ? c.fresh(hint) : size;
}

void set_fresh(ShapeContext& c, std::size_t i, DType dtype, const Expr& rank,
               std::string_view hint) {
  if (!rank.is_number() || rank.value() < 0 || rank.value() > kMaxFreshAxes) {
    return c.set_unranked(i, dtype);
  }
  Dims dims;
  for (std::int64_t n = 0; n < rank.value(); ++n) dims.push_back(c.fresh(hint));
  c.set(i, dtype, std::move(dims));
}

Result<AlongAxis> along_axis(ShapeContext& c) {
  const auto asked = c.integer("axis");
  if (!asked)
    return AlongAxis{.dims = {known_or_fresh(c, c.in_elements(0), "elements")}, .flat = true};
  const auto axis = c.axis(*asked, c.rank(0));
  if (!axis) return failure(axis);
  return AlongAxis{.dims = c.dims(0), .axis = *axis};
}

Expr length_of(const ShapeContext& c, std::size_t i) {
  if (!c.ranked(i) || c.rank(i) > 1) return Expr::unknown();
  return c.rank(i) == 0 ? Expr(1) : c.dims(i)[0];
}

}  // namespace strata
