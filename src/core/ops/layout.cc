// Elements in another order or number: Transpose, Expand, Tile and the like.
#include <utility>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"

namespace strata {

namespace {

Status transpose_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  InlineVector<std::size_t, 5> from(rank);
  for (std::size_t i = 0; i < rank; ++i) from[i] = rank - 1 - i;
  if (const auto perm = c.integers("perm"); !perm.empty() || c.has_attribute("perm")) {
    InlineVector<char, 8> seen(rank, 0);
    bool once = perm.size() == rank;
    for (std::size_t i = 0; once && i < rank; ++i) {
      once = perm[i] >= 0 && perm[i] < static_cast<std::int64_t>(rank);
      if (!once) break;
      from[i] = static_cast<std::size_t>(perm[i]);
      once = !std::exchange(seen[from[i]], 1);
    }
    if (!once) {
      return c.error(fmt::format("perm must name each of the {} axes of {} once", rank,
                                 strata::text(c.dims(0))));
    }
  }
  if (const Value* value = elements_of(c, 0)) {
    const ValueDims strides = strides_of(value->dims);
    ValueDims dims(rank), moved(rank);
    for (std::size_t i = 0; i < rank; ++i) {
      dims[i] = value->dims[from[i]];
      moved[i] = strides[from[i]];
    }
    c.set_value(0, strided(*value, dims, 0, moved));
    return {};
  }
  Dims dims(rank);
  for (std::size_t i = 0; i < rank; ++i) dims[i] = c.dims(0)[from[i]];
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status expand_shape(ShapeContext& c) {
  auto wanted = dims_from_input(c, 1, "expanded");
  if (!wanted) return failure(wanted);
  if (!*wanted) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  auto dims = c.broadcast(c.dims(0), **wanted);
  if (!dims) return failure(dims);
  if (const Value* value = elements_of(c, 0)) {
    if (const auto numbers = known_dims(*dims)) {
      const std::size_t shift = numbers->size() - value->dims.size();
      const ValueDims strides = strides_of(value->dims);
      ValueDims steps(numbers->size(), 0);
      for (std::size_t i = 0; i < value->dims.size(); ++i) {
        if (value->dims[i] != 1) steps[shift + i] = strides[i];
      }
      c.set_value(0, strided(*value, *numbers, 0, steps));
      return {};
    }
  }
  c.set(0, c.dtype(0), *std::move(dims));
  return {};
}

// Returns how often each axis is repeated; unknown if it cannot be told. Version 1 has a count and
// an axis instead of a list.
Result<Dims> repeats_of(ShapeContext& c) {
  Dims repeats(c.rank(0), Expr(1));
  if (c.opset() < 6) {
    const auto count = c.scalar_of(1);
    const auto which = c.scalar_of(2);
    if (!which || !which->is_number()) return Dims(c.rank(0), Expr::unknown());
    const auto axis = c.axis(which->value(), c.rank(0));
    if (!axis) return failure(axis);
    repeats[*axis] = count.value_or(Expr::unknown());
    return repeats;
  }
  const Value* list = c.value(1);
  if (list == nullptr) return Dims(c.rank(0), Expr::unknown());
  if (list->size() != c.rank(0)) {
    return c.error(fmt::format("{} repeats are given for the {} axes of {}", list->size(),
                               c.rank(0), strata::text(c.dims(0))));
  }
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    repeats[i] = list->items[i].whole();
    if (repeats[i].is_number() && repeats[i].value() < 0) {
      return c.error(fmt::format("axis {} cannot be repeated {} times", i, repeats[i].text()));
    }
  }
  return repeats;
}

Status tile_shape(ShapeContext& c) {
  const auto repeats = repeats_of(c);
  if (!repeats) return failure(repeats);
  const std::size_t rank = c.rank(0);
  Dims dims(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    dims[i] = known_or_fresh(c, c.dims(0)[i] * (*repeats)[i], "tiled");
  }
  const Value* value = elements_of(c, 0);
  const auto numbers = value != nullptr ? known_dims(dims) : std::nullopt;
  const auto counts = numbers ? known_dims(*repeats) : std::nullopt;
  if (!counts) {
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  // Each axis becomes two: which copy, and the position in it.
  const ValueDims strides = strides_of(value->dims);
  ValueDims pairs(2 * rank), steps(2 * rank, 0);
  for (std::size_t i = 0; i < rank; ++i) {
    pairs[2 * i] = (*counts)[i];
    pairs[2 * i + 1] = value->dims[i];
    steps[2 * i + 1] = strides[i];
  }
  Value tiled = strided(*value, pairs, 0, steps);
  tiled.dims = *numbers;
  c.set_value(0, std::move(tiled));
  return {};
}

constexpr Example kTranspose[] = {
    {"f32[2,3,4]", "", "f32[4,3,2]", {.macs = 0, .flops = 0}},
    {"f32[N,S,12,64]", "perm=0,2,1,3", "f32[N,12,S,64]"},
    {"i64[2,3]={1,2,3,4,5,N}", "", "i64[3,2]={1,4,2,5,3,N}"},
};
constexpr Example kExpand[] = {
    {"f32[3,1], i64[3]={2,1,6}", "", "f32[2,3,6]", {.macs = 0, .flops = 0}},
    {"f32[1,3,1], i64[3]={N,1,5}", "", "f32[N,3,5]"},
    {"f32[3,4], i64[2]={1,1}", "", "f32[3,4]"},
    {"i64[2,1]={1,N}, i64[2]={2,3}", "", "i64[2,3]={1,1,1,N,N,N}"},
    {"f32[1,3], i64[2]", "", "f32[expanded,3]"},
};
constexpr Example kTile[] = {
    {"f32[2,3], i64[2]={2,1}", "", "f32[4,3]", {.macs = 0, .flops = 0}},
    {"f32[N,3], i64[2]={2,S}", "", "f32[2·N,3·S]"},
    {"i64[1,2]={7,N}, i64[2]={2,2}", "", "i64[2,4]={7,N,7,N,7,N,7,N}"},
    {"f32[2,3], i64[2]", "", "f32[tiled,tiled_2]"},
    {"f32[2,3], i64[]={5}, i64[]={1}", "", "f32[2,15]", {}, 1},
};
constexpr Example kReverse[] = {
    {"f32[4,N,8], i64[N]", "time_axis=0 batch_axis=1", "f32[4,N,8]", {.macs = 0, .flops = 0}},
};

// Axes of size one can be moved freely.
Strided transpose_order(const NodeView& c) {
  const auto order = c.integers("perm");
  const std::size_t rank = c.rank(0);
  std::int64_t last = -1;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis =
        i < order.size() ? order[i] : static_cast<std::int64_t>(rank) - 1 - static_cast<int>(i);
    if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return Strided::OutOfOrder;
    if (c.dims(0)[static_cast<std::size_t>(axis)].is(1)) continue;
    if (axis < last) return Strided::OutOfOrder;
    last = axis;
  }
  return Strided::InOrder;
}
Strided expand_order(const NodeView& c) {
  return c.dims(0) == c.out(0).dims ? Strided::InOrder : Strided::OutOfOrder;
}

constexpr OpRule kLayoutRules[] = {
    {.name = "Transpose",
     .since = 1,
     .shape = transpose_shape,
     .cost = no_arithmetic,
     .examples = kTranspose,
     .passes_weights = true,
     .traits = {.op = Op::Transpose, .int8 = Int8Use::Passing, .strided = transpose_order}},
    {.name = "Expand",
     .since = 8,
     .shape = expand_shape,
     .cost = no_arithmetic,
     .examples = kExpand,
     .settings = slots(1),
     .traits = {.strided = expand_order}},
    {.name = "Tile",
     .since = 1,
     .shape = tile_shape,
     .cost = no_arithmetic,
     .examples = kTile,
     .settings = slots(1, 2)},
    {.name = "ReverseSequence",
     .since = 10,
     .shape = like_input,
     .cost = no_arithmetic,
     .examples = kReverse,
     .settings = slots(1)},
};

}  // namespace

std::span<const OpRule> layout_rules() { return kLayoutRules; }

}  // namespace strata
