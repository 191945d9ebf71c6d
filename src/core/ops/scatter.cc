// Replaces elements by index: Scatter, ScatterElements, ScatterND.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {

namespace {

// Combines an element and its update; nullptr for an unknown reduction.
using Merge = Scalar (*)(const Scalar& old, const Scalar& update);

Scalar replace(const Scalar&, const Scalar& update) { return update; }

Merge merge_of(const NodeView& c) {
  const std::string_view reduction = c.text("reduction", "none");
  if (reduction == "none") return replace;
  if (reduction == "add") return scalar::add;
  if (reduction == "mul") return scalar::multiply;
  if (reduction == "min") return scalar::minimum;
  if (reduction == "max") return scalar::maximum;
  return nullptr;
}

// The index as a position along an axis of `size`; nullopt if it is unknown or out of range.
std::optional<std::int64_t> position_of(const Scalar& item, std::int64_t size) {
  const Expr index = item.whole();
  if (!index.is_number() || index.value() < -size || index.value() >= size) return std::nullopt;
  return index.value() < 0 ? index.value() + size : index.value();
}

Status scatter_elements_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  if (c.rank(1) != c.rank(0) || c.rank(2) != c.rank(0)) {
    return c.error(fmt::format("data ({}), indices ({}) and updates ({}) differ in their axes",
                               strata::text(c.dims(0)), strata::text(c.dims(1)),
                               strata::text(c.dims(2))));
  }
  const Value* data = elements_of(c, 0);
  const Value* indices = data != nullptr ? elements_of(c, 1) : nullptr;
  const Value* updates = indices != nullptr ? elements_of(c, 2) : nullptr;
  const Merge merge = merge_of(c);
  if (updates == nullptr || merge == nullptr || !(updates->dims == indices->dims)) {
    return like_input(c);
  }
  Value result = *data;
  const ValueDims strides = strides_of(data->dims);
  const ValueDims index_strides = strides_of(indices->dims);
  for (std::size_t i = 0; i < indices->size(); ++i) {
    const auto position = position_of(indices->items[i], data->dims[*axis]);
    if (!position) return like_input(c);
    std::int64_t at = *position * strides[*axis];
    for (std::size_t a = 0; a < strides.size(); ++a) {
      if (a == *axis) continue;
      const std::int64_t index = static_cast<std::int64_t>(i) / index_strides[a] % indices->dims[a];
      if (index >= data->dims[a]) return like_input(c);
      at += index * strides[a];
    }
    Scalar& item = result.items[static_cast<std::size_t>(at)];
    item = merge(item, updates->items[i]);
  }
  c.set_value(0, std::move(result));
  return {};
}

Status scatter_nd_shape(ShapeContext& c) {
  const Dims& index_dims = c.dims(1);
  if (index_dims.empty() || c.rank(0) == 0) {
    return c.error("its data and indices need at least one axis");
  }
  const Expr width = index_dims.back();
  const Expr axes(static_cast<std::int64_t>(c.rank(0)));
  if (width.is_number() && width.value() > axes.value()) {
    return c.error(fmt::format("indices {} name {} axes of data {}", strata::text(index_dims),
                               width.text(), strata::text(c.dims(0))));
  }
  const Value* data = elements_of(c, 0);
  const Value* indices = data != nullptr ? elements_of(c, 1) : nullptr;
  const Value* updates = indices != nullptr ? elements_of(c, 2) : nullptr;
  const Merge merge = merge_of(c);
  if (updates == nullptr || merge == nullptr) return like_input(c);
  const auto named = static_cast<std::size_t>(indices->dims.back());
  const auto rows = static_cast<std::size_t>(count_of(indices->dims, 0, indices->dims.size() - 1));
  const auto inner = static_cast<std::size_t>(count_of(data->dims, named, data->dims.size()));
  if (rows * inner != updates->size()) return like_input(c);
  Value result = *data;
  const ValueDims strides = strides_of(data->dims);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t start = 0;
    for (std::size_t a = 0; a < named; ++a) {
      const auto position = position_of(indices->items[row * named + a], data->dims[a]);
      if (!position) return like_input(c);
      start += static_cast<std::size_t>(*position * strides[a]);
    }
    for (std::size_t i = 0; i < inner; ++i) {
      Scalar& item = result.items[start + i];
      item = merge(item, updates->items[row * inner + i]);
    }
  }
  c.set_value(0, std::move(result));
  return {};
}

// One operation per update, unless it only replaces elements.
void scatter_cost(CostContext& c) {
  const std::string_view reduction = c.text("reduction", "none");
  if (reduction == "none") return;
  if (reduction == "mul")
    c.muls({{"updates", c.in_elements(2)}});
  else
    c.adds({{"updates", c.in_elements(2)}});
}

constexpr Example kScatterElements[] = {
    {"f32[3,3], i64[2,3], f32[2,3]", "axis=0", "f32[3,3]", {.macs = 0, .flops = 0}},
    {"f32[3,3], i64[2,3], f32[2,3]",
     "axis=0 reduction=\"add\"",
     "f32[3,3]",
     {.macs = 0, .flops = 6}},
    {"i64[1,5]={1,2,3,4,5}, i64[1,2]={1,3}, i64[1,2]={7,N}", "axis=1", "i64[1,5]={1,7,3,N,5}"},
};
constexpr Example kScatterNd[] = {
    {"f32[8], i64[4,1], f32[4]", "", "f32[8]", {.macs = 0, .flops = 0}},
    {"f32[4,4,4], i64[2,1], f32[2,4,4]",
     "reduction=\"mul\"",
     "f32[4,4,4]",
     {.macs = 0, .flops = 32}},
    {"i64[4]={1,2,3,4}, i64[2,1]={0,-1}, i64[2]={N,9}", "", "i64[4]={N,2,3,9}"},
    {"i64[2,2]={1,2,3,4}, i64[1,1]={1}, i64[1,2]={5,6}", "reduction=\"add\"",
     "i64[2,2]={1,2,8,10}"},
};
constexpr Example kScatter[] = {
    {"f32[3,3], i64[2,3], f32[2,3]", "axis=0", "f32[3,3]", {.macs = 0, .flops = 0}, 10},
};

constexpr VersionChange kRenamed = {11, Rewrite::Renamed, {"ScatterElements"}};

constexpr OpRule kScatterRules[] = {
    {.name = "Scatter",
     .since = 9,
     .shape = scatter_elements_shape,
     .cost = no_arithmetic,
     .examples = kScatter,
     .settings = slots(1),
     .traits = {.changed = &kRenamed}},
    {.name = "ScatterElements",
     .since = 11,
     .shape = scatter_elements_shape,
     .cost = scatter_cost,
     .examples = kScatterElements,
     .settings = slots(1)},
    {.name = "ScatterND",
     .since = 11,
     .shape = scatter_nd_shape,
     .cost = scatter_cost,
     .examples = kScatterNd,
     .settings = slots(1)},
};

}  // namespace

std::span<const OpRule> scatter_rules() { return kScatterRules; }

}  // namespace strata
