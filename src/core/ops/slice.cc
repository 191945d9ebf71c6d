// Parts of a tensor: Slice, Compress.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// For an axis of open size, bounds this far out mean its end or its start: exporters write the
// largest 32-bit or 64-bit integer.
constexpr std::int64_t kFar = 0x7fffffff;
// Bounds further out are clamped to this, so that sums with sizes do not overflow.
constexpr std::int64_t kFarthest = std::int64_t{1} << 61;

Expr near_enough(double bound) {
  constexpr auto kMost = static_cast<double>(kFarthest);
  return static_cast<std::int64_t>(std::clamp(bound, -kMost, kMost));
}

bool far_after(const Expr& bound, const Expr& size) {
  return bound.is_number() && bound.value() >= (size.is_number() ? size.value() : kFar);
}
bool far_before(const Expr& bound, const Expr& size) {
  return bound.is_number() && bound.value() < (size.is_number() ? -size.value() : 1 - kFar);
}

// A negative bound counts from the end. A formula is assumed to be a position from the front unless
// it is below 0 for all sizes.
Expr from_front(const Expr& bound, const Expr& size) {
  const bool negative =
      bound.is_number() ? bound.value() < 0 : provably_at_least(Expr(0) - bound, 1);
  return negative ? size + bound : bound;
}

// The part of an axis that a slice takes: `count` elements from `first` on, `step` apart.
struct Cut {
  Expr first, count;
  std::int64_t step = 1;
};

Cut cut_forward(const Expr& size, const Expr& start, const Expr& end, std::int64_t step) {
  const bool from_start = far_before(start, size), to_end = far_after(end, size);
  if (far_after(start, size) || far_before(end, size)) return {0, 0, step};
  if (to_end && start.is_number() && start.value() < 0 && !from_start && !size.is_number()) {
    // Takes the last few elements, or fewer if the axis is shorter.
    const Expr count = min(size, Expr(0) - start);
    return {size - count, ceil_div(count, step), step};
  }
  const Expr first = from_start ? Expr(0) : max(from_front(start, size), 0);
  const Expr rest = size - first;
  const Expr count = to_end ? rest : min(from_front(end, size) - first, rest);
  return {first, ceil_div(max(count, 0), step), step};
}

Cut cut_backward(const Expr& size, const Expr& start, const Expr& end, std::int64_t step) {
  if (far_after(end, size)) return {0, 0, step};
  const bool from_end = far_after(start, size), to_start = far_before(end, size);
  const Expr first = from_end                  ? size - 1
                     : far_before(start, size) ? min(Expr(0), size - 1)
                                               : min(max(from_front(start, size), 0), size - 1);
  const Expr last = to_start ? Expr(-1) : max(from_front(end, size), -1);
  return {first, ceil_div(max(first - last, 0), -step), step};
}

Result<Cut> cut_axis(ShapeContext& c, const Expr& size, const Expr& start, const Expr& end,
                     const Expr& step) {
  if (step.is(0)) return c.error("a step of 0 never ends");
  const bool known = step.is_number() && !start.is_unknown() && !end.is_unknown();
  Cut cut{Expr::unknown(), Expr::unknown(), 1};
  if (known) {
    cut = step.value() > 0 ? cut_forward(size, start, end, step.value())
                           : cut_backward(size, start, end, step.value());
  }
  cut.count = known_or_fresh(c, cut.count, "sliced");
  return cut;
}

// A list of bounds, from an input or (before version 10) an attribute. Elements that cannot be
// told are unknown.
struct Bounds {
  bool given = false;
  std::optional<Dims> list;  // nullopt: even the length is unknown
};

Bounds read_bounds(ShapeContext& c, std::size_t slot, std::string_view attribute) {
  Bounds bounds;
  if (!c.has(1)) {
    bounds.given = c.has_attribute(attribute);
    bounds.list.emplace();
    for (const std::int64_t item : c.integers(attribute))
      bounds.list->push_back(std::clamp(item, -kFarthest, kFarthest));
    return bounds;
  }
  bounds.given = c.has(slot);
  if (!bounds.given) return bounds;
  if (const Value* value = c.value(slot)) {
    bounds.list.emplace();
    for (const Scalar& item : value->items) {
      bounds.list->push_back(item.is_real() ? near_enough(*item.number()) : item.whole());
    }
  } else if (const auto length = length_of(c, slot).number(); length && *length <= kMaxRank) {
    bounds.list.emplace(static_cast<std::size_t>(std::max<std::int64_t>(*length, 0)),
                        Expr::unknown());
  }
  return bounds;
}

Status slice_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  Bounds starts = read_bounds(c, 1, "starts");
  Bounds ends = read_bounds(c, 2, "ends");
  Bounds axes = read_bounds(c, 3, "axes");
  Bounds steps = read_bounds(c, 4, "steps");
  if (!starts.list) starts.list = ends.list ? Dims(ends.list->size(), Expr::unknown()) : Dims();
  if (!ends.list) ends.list = Dims(starts.list->size(), Expr::unknown());
  bool axes_known = !axes.given || axes.list;
  if (axes.list) {
    for (const Expr& axis : *axes.list) axes_known = axes_known && axis.is_number();
  }
  const std::size_t count = starts.list->size();
  if (!axes_known || (count == 0 && c.has(1) && !c.has_value(1))) {
    set_fresh(c, 0, c.dtype(0), Expr(static_cast<std::int64_t>(rank)), "sliced");
    return {};
  }
  if (!axes.given && count > rank) {
    return c.error(fmt::format("{} bounds are given for the {} axes of {}", count, rank,
                               strata::text(c.dims(0))));
  }
  if (ends.list->size() != count || (axes.given && axes.list->size() != count) ||
      (steps.given && steps.list && steps.list->size() != count)) {
    return c.error("starts, ends, axes and steps differ in their number of elements");
  }

  const Value* value = elements_of(c, 0);
  ValueDims strides = value != nullptr ? strides_of(value->dims) : ValueDims();
  std::int64_t start_item = 0;
  Dims dims = c.dims(0);
  InlineVector<char, 8> seen(rank, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis =
        c.axis(axes.given ? (*axes.list)[i].value() : static_cast<std::int64_t>(i), rank);
    if (!axis) return failure(axis);
    if (std::exchange(seen[*axis], 1))
      return c.error(fmt::format("axis {} is listed twice", *axis));
    const Expr step = !steps.given ? Expr(1) : steps.list ? (*steps.list)[i] : Expr::unknown();
    const auto cut = cut_axis(c, dims[*axis], (*starts.list)[i], (*ends.list)[i], step);
    if (!cut) return failure(cut);
    dims[*axis] = cut->count;
    if (value == nullptr) continue;
    if (!cut->first.is_number() || !cut->count.is_number()) {
      value = nullptr;
    } else if (cut->count.value() > 0) {
      start_item += cut->first.value() * strides[*axis];
      // A single element has no neighbour, and a step may be any number.
      strides[*axis] = cut->count.is(1) ? 0 : strides[*axis] * cut->step;
    }
  }
  if (value != nullptr) {
    if (const auto numbers = known_dims(dims)) {
      c.set_value(0, strided(*value, *numbers, start_item, strides));
      return {};
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Only the part that is taken is read.
void slice_cost(CostContext& c) { c.reads(bytes(c.out_elements(0), c.dtype(0))); }

// Returns the elements along the axis (or all elements) that are kept; nullopt if that is unknown.
std::optional<std::vector<std::int64_t>> kept_positions(ShapeContext& c, const Expr& size) {
  const Value* condition = elements_of(c, 1);
  if (condition == nullptr || !size.is_number()) return std::nullopt;
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < condition->size() && static_cast<std::int64_t>(i) < size.value();
       ++i) {
    const auto keep = exact_number(condition->items[i]);
    if (!keep) return std::nullopt;
    if (*keep != 0) kept.push_back(static_cast<std::int64_t>(i));
  }
  return kept;
}

Status compress_shape(ShapeContext& c) {
  auto along = along_axis(c);
  if (!along) return failure(along);
  auto& [dims, axis, flat] = *along;
  const auto kept = kept_positions(c, dims[axis]);
  if (!kept) {
    dims[axis] = c.fresh("kept", dims[axis]);
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const Value* value = elements_of(c, 0);
  if (value == nullptr) {
    dims[axis] = static_cast<std::int64_t>(kept->size());
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const ValueDims from = flat ? ValueDims{static_cast<std::int64_t>(value->size())} : value->dims;
  c.set_value(0, picked(*value, from, axis, *kept));
  return {};
}

void compress_cost(CostContext& c) {
  c.reads(bytes(c.out_elements(0), c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

constexpr Example kSlice[] = {
    {"f32[20,10,5], i64[2]={0,0}, i64[2]={3,10}, i64[2]={0,1}, i64[2]={1,1}",
     "",
     "f32[3,10,5]",
     {.macs = 0, .flops = 0}},
    {"f32[20,10,5], i64[1]={0}, i64[1]={1000}, i64[1]={1}, i64[1]={3}", "", "f32[20,4,5]"},
    {"f32[20,10,5], i64[3]={20,10,4}, i64[3]={0,0,1}, i64[3]={0,1,2}, i64[3]={-1,-3,-2}", "",
     "f32[19,3,2]"},
    {"f32[20], i64[1]={1000}, i64[1]={1000}", "", "f32[0]"},
    {"f32[N,8], i64[1]={1}, i64[1]={9223372036854775807}", "", "f32[N - 1,8]"},
    {"f32[N,8], i64[1]={-1}, i64[1]={-9223372036854775807}, i64[1]={0}, i64[1]={-1}", "",
     "f32[N,8]"},
    // The smallest integer means before the start, not past the end.
    {"f32[N,8], i64[1]={5}, i64[1]={-9223372036854775808}", "", "f32[0,8]"},
    {"f32[10,8], i64[1]={5}, i64[1]={-9223372036854775808}", "", "f32[0,8]"},
    {"f32[10], i64[1]={9223372036854775807}, i64[1]={-9223372036854775808}, i64[1]={0}, "
     "i64[1]={-1}",
     "", "f32[10]"},
    {"f32[10], i64[1]={-9223372036854775808}, i64[1]={9223372036854775807}, i64[1]={0}, "
     "i64[1]={-1}",
     "", "f32[0]"},
    // An axis too long for a 32-bit integer still ends where the bound says.
    {"u8[6442450944], i64[1]={0}, i64[1]={2147483647}", "", "u8[2147483647]"},
    {"f32[N,8], i64[1]={-1}, i64[1]={2147483647}", "", "f32[1,8]"},
    {"f32[N,8], i64[1]={-5}, i64[1]={2147483647}", "", "f32[min(N, 5),8]"},
    {"f32[N,8], i64[1]={0}, i64[1]={5}", "", "f32[min(N, 5),8]"},
    {"f32[N,8], i64[1]={0}, i64[1]={-1}", "", "f32[N - 1,8]"},
    {"f32[N,8], i64[1], i64[1], i64[1]={1}", "", "f32[N,sliced]"},
    {"i64[4]={N,3,H,W}, i64[1]={2}, i64[1]={4}", "", "i64[2]={H,W}"},
    {"i64[3]={1,2,3}, i64[1]={-1}, i64[1]={-9}, i64[1]={0}, i64[1]={-2}", "", "i64[2]={3,1}"},
    {"f32[20,10,5]", "starts=0,-4 ends=3,-1 axes=0,1", "f32[3,3,5]", {}, 1},
};
constexpr Example kDynamicSlice[] = {
    {"f32[4,4], i64[2]={1,0}, i64[2]={2,3}", "", "f32[1,3]", {.macs = 0, .flops = 0}, 9},
};
constexpr Example kCompress[] = {
    {"f32[3,2], bool[3]={false,true,true}", "axis=0", "f32[2,2]", {.macs = 0, .flops = 0}},
    {"f32[3,2], bool[5]={false,true,false,false,true}", "", "f32[2]"},
    {"i64[3]={N,5,7}, bool[2]={true,true}", "axis=0", "i64[2]={N,5}"},
    {"f32[3,2], bool[2]", "axis=-1", "f32[3,kept]"},
};

constexpr VersionChange kBoundsToInputs = {
    10, Rewrite::AttributesToInputs, {"starts", "ends", "axes"}};

Strided slice_order(const NodeView& c) {
  const Dims &from = c.dims(0), &to = c.out(0).dims;
  std::size_t changed = from.size(), changes = 0;
  for (std::size_t i = 0; i < from.size() && i < to.size(); ++i)
    if (!(from[i] == to[i])) changed = i, ++changes;
  if (changes == 0) return Strided::InOrder;
  if (c.has(4)) {
    const Tensor& steps = c.graph().tensors[c.node().inputs[4]];
    std::optional<Value> stored;
    if (steps.value == nullptr && steps.data != nullptr) stored = decode(*steps.data);
    const Value* value = stored ? &*stored : steps.value;
    if (value == nullptr) return Strided::OutOfOrder;
    for (const Scalar& step : value->items)
      if (step.number() != 1) return Strided::OutOfOrder;
  }
  const bool one_piece = changes == 1 && is_outermost(from, static_cast<std::int64_t>(changed));
  return one_piece ? Strided::InOrder : Strided::OutOfOrder;
}

constexpr OpRule kSliceRules[] = {
    {.name = "Slice",
     .since = 1,
     .shape = slice_shape,
     .cost = slice_cost,
     .examples = kSlice,
     .settings = slots(1, 2, 3, 4),
     .traits = {.op = Op::Slice,
                .int8 = Int8Use::Passing,
                .strided = slice_order,
                .changed = &kBoundsToInputs}},
    {.name = "DynamicSlice",
     .since = 1,
     .shape = slice_shape,
     .cost = slice_cost,
     .examples = kDynamicSlice,
     .settings = slots(1, 2, 3)},
    {.name = "Compress",
     .since = 9,
     .shape = compress_shape,
     .cost = compress_cost,
     .examples = kCompress,
     .settings = slots(1)},
};

}  // namespace

std::span<const OpRule> slice_rules() { return kSliceRules; }

}  // namespace strata
