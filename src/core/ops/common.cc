#include "ops/common.h"

#include <algorithm>

#include <fmt/format.h>

#include "ops/elements.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

// The broadcast of two shapes of known sizes; nullopt if they clash or the result has too many
// elements to keep.
std::optional<ValueDims> broadcast_sizes(const ValueDims& a, const ValueDims& b) {
  const ValueDims& longer = a.size() >= b.size() ? a : b;
  const ValueDims& shorter = a.size() >= b.size() ? b : a;
  ValueDims out = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    if (out[shift + i] == shorter[i]) continue;
    if (out[shift + i] != 1 && shorter[i] != 1) return std::nullopt;
    if (out[shift + i] == 1) out[shift + i] = shorter[i];
  }
  if (!small_count(out)) return std::nullopt;
  return out;
}

}  // namespace

Status same_as_input(ShapeContext& c) {
  const Value* value = elements_of(c, 0);
  if (value == nullptr) return like_input(c);
  c.share_value(0, value);
  return {};
}

Status like_input(ShapeContext& c) {
  c.share_type(0, 0);
  return {};
}

bool worth_folding(const ShapeContext& c, std::size_t slot) {
  if (!c.has_value(slot)) return false;
  if (!is_float(c.dtype(slot))) return true;
  const Expr count = c.in_elements(slot);
  return count.is_number() && count.value() <= kMaxFoldedReals;
}

Result<Dims> broadcast_dims(ShapeContext& c) {
  Dims dims = c.dims(0);
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    if (!c.has(i) || dims == c.dims(i)) continue;
    auto wider = c.broadcast(dims, c.dims(i));
    if (!wider) return wider;
    dims = *std::move(wider);
  }
  return dims;
}

Status broadcast_inputs(ShapeContext& c) {
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    if (c.has(i) && !c.ranked(i)) {
      c.set_unranked(0, c.dtype(0));
      return {};
    }
  }
  auto dims = broadcast_dims(c);
  if (!dims) return failure(dims);
  c.set(0, c.dtype(0), *std::move(dims));
  return {};
}

std::optional<std::vector<std::size_t>> broadcast_positions(const ValueDims& from,
                                                            const ValueDims& to) {
  if (from.size() > to.size()) return std::nullopt;
  std::vector<std::size_t> positions = {0};
  const std::size_t shift = to.size() - from.size();
  // From the last axis outwards: all positions so far are repeated, shifted by the stride of this
  // axis, or not shifted if the source has only one element there.
  std::size_t stride = 1;
  for (std::size_t axis = to.size(); axis-- > 0;) {
    const std::int64_t source = axis >= shift ? from[axis - shift] : 1;
    if (source != 1 && source != to[axis]) return std::nullopt;
    const std::size_t step = source == 1 ? 0 : stride;
    const std::size_t inner = positions.size();
    if (to[axis] < 0 || to[axis] > kMaxValueElements) return std::nullopt;
    const auto count = static_cast<std::size_t>(to[axis]);
    if (inner * count > std::size_t{kMaxValueElements}) return std::nullopt;
    positions.resize(inner * count);
    for (std::size_t i = inner; i < positions.size(); ++i) {
      positions[i] = positions[i % inner] + i / inner * step;
    }
    stride *= static_cast<std::size_t>(source);
  }
  return positions;
}

std::optional<Value> combine(const Value& a, const Value& b, DType out,
                             Scalar (*f)(const Scalar&, const Scalar&)) {
  std::optional<Value> combined;
  const auto dims = broadcast_sizes(a.dims, b.dims);
  if (!dims) return combined;
  // Each is the whole result's shape, or one element that is repeated.
  const bool all_a = a.dims == *dims, all_b = b.dims == *dims;
  if ((all_a || a.size() == 1) && (all_b || b.size() == 1)) {
    const std::size_t count = *small_count(*dims);
    Value& result = combined.emplace(Value{out, *dims, {}});
    result.items.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Scalar& x = a.items[all_a ? i : 0];
      const Scalar& y = b.items[all_b ? i : 0];
      result.items.push_back(scalar::fit(f(x, y), out));
    }
    return combined;
  }
  const auto from_a = broadcast_positions(a.dims, *dims);
  const auto from_b = broadcast_positions(b.dims, *dims);
  if (!from_a || !from_b) return combined;
  Value& result = combined.emplace(Value{out, *dims, {}});
  result.items.reserve(from_a->size());
  for (std::size_t i = 0; i < from_a->size(); ++i) {
    const Scalar& x = a.items[(*from_a)[i]];
    const Scalar& y = b.items[(*from_b)[i]];
    result.items.push_back(scalar::fit(f(x, y), out));
  }
  return combined;
}

Status fold_unary(ShapeContext& c, Scalar (*f)(const Scalar&)) {
  const Value* value = elements_of(c, 0);
  if (value == nullptr) return like_input(c);
  Value result{value->type, value->dims, {}};
  result.items.reserve(value->size());
  for (const Scalar& item : value->items) {
    result.items.push_back(scalar::fit(f(item), value->type));
  }
  c.set_value(0, std::move(result));
  return {};
}

Status fold_binary(ShapeContext& c, DType out, Scalar (*f)(const Scalar&, const Scalar&)) {
  if (worth_folding(c, 0) && worth_folding(c, 1)) {
    const Value* a = elements_of(c, 0);
    const Value* b = elements_of(c, 1);
    if (a != nullptr && b != nullptr) {
      if (auto result = combine(*a, *b, out, f)) {
        c.set_value(0, *std::move(result));
        return {};
      }
    }
  }
  if (!c.ranked(0) || !c.ranked(1)) {
    c.set_unranked(0, out);
    return {};
  }
  if (c.dims(0) == c.dims(1)) {
    c.set(0, out, c.dims(0));
    return {};
  }
  auto dims = c.broadcast(c.dims(0), c.dims(1));
  if (!dims) return failure(dims);
  c.set(0, out, *std::move(dims));
  return {};
}

Result<Axes> axes_of(ShapeContext& c, int slot, std::size_t rank) {
  Axes axes;
  const auto take = [&](std::int64_t number) -> Status {
    auto axis = c.axis(number, rank);
    if (!axis) return failure(axis);
    axes.list.push_back(*axis);
    return {};
  };
  if (slot >= 0) {
    const auto input = static_cast<std::size_t>(slot);
    if (!c.has(input)) return axes;
    axes.given = true;
    const auto items = c.integers_of(input);
    if (!items) {
      // An input without elements is known, whatever its elements would have been.
      axes.known = c.ranked(input) && c.in_elements(input).is(0);
      return axes;
    }
    for (const Expr& item : *items) {
      if (!item.is_number()) {
        axes.known = false;
        axes.list.clear();
        return axes;
      }
      if (auto status = take(item.value()); !status) return failure(status);
    }
  } else {
    axes.given = c.has_attribute("axes");
    for (const std::int64_t number : c.integers("axes")) {
      if (auto status = take(number); !status) return failure(status);
    }
  }
  std::sort(axes.list.begin(), axes.list.end());
  const auto end = std::unique(axes.list.begin(), axes.list.end());
  axes.list.resize(static_cast<std::size_t>(end - axes.list.begin()));
  return axes;
}

Result<DType> dtype_attribute(const ShapeContext& c, std::string_view attribute, DType otherwise) {
  const auto number = c.integer(attribute);
  if (!number) return otherwise;
  const auto type = dtype_from_onnx(*number);
  if (type && *type != DType::Undefined) return *type;
  return c.error(fmt::format("type number {} is not one this version knows", *number));
}

Dims to_dims(std::span<const Expr> sizes) { return Dims(sizes); }

Result<std::optional<Dims>> dims_from_input(ShapeContext& c, std::size_t slot,
                                            std::string_view hint) {
  if (const auto sizes = c.integers_of(slot)) {
    const auto unknown = std::count_if(sizes->begin(), sizes->end(),
                                       [](const Expr& size) { return size.is_unknown(); });
    if (std::ssize(*sizes) > kMaxRank || unknown > kMaxFreshAxes) return std::nullopt;
    Dims dims = to_dims(*sizes);
    for (Expr& size : dims) {
      if (size.is_number() && size.value() < 0) return c.error("a size it is given is negative");
      size = known_or_fresh(c, size, hint);
    }
    return dims;
  }
  if (!c.ranked(slot) || c.rank(slot) != 1) return std::nullopt;
  const Expr rank = c.dims(slot)[0];
  if (!rank.is_number() || rank.value() < 0 || rank.value() > kMaxFreshAxes) {
    return std::nullopt;
  }
  Dims dims;
  for (std::int64_t i = 0; i < rank.value(); ++i) dims.push_back(c.fresh(hint));
  return dims;
}

Value vector_value(DType type, std::span<const Expr> items) {
  Value value{type, {static_cast<std::int64_t>(items.size())}, {}};
  value.items.append(items.begin(), items.end());
  return value;
}

Value scalar_value(DType type, Scalar item) {
  Value value{type, {}, {}};
  value.items.push_back(std::move(item));
  return value;
}

void no_arithmetic(CostContext&) {}

void view_of_input(CostContext& c) { c.moves_nothing(); }

}  // namespace strata
