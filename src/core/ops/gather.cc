// Looks up elements by index: Gather, GatherElements, GatherND, OneHot.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Converts indices to positions along an axis of `size`, -1 for one that is unknown. A negative
// index counts from the end.
Result<std::vector<std::int64_t>> positions_of(const ShapeContext& c, const Value& indices,
                                               std::int64_t size) {
  std::vector<std::int64_t> positions;
  positions.reserve(indices.size());
  for (const Scalar& item : indices.items) {
    const Expr index = item.whole();
    if (!index.is_number()) {
      positions.push_back(-1);
      continue;
    }
    const std::int64_t number = index.value();
    if (number < -size || number >= size) {
      return c.error(fmt::format("index {} is outside of an axis with {} elements", number, size));
    }
    positions.push_back(number < 0 ? number + size : number);
  }
  return positions;
}

Status gather_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  const Dims& data = c.dims(0);
  const Dims& indices = c.dims(1);
  Dims dims;
  for (std::size_t i = 0; i < *axis; ++i) dims.push_back(data[i]);
  for (const Expr& size : indices) dims.push_back(size);
  for (std::size_t i = *axis + 1; i < data.size(); ++i) dims.push_back(data[i]);

  const Value* from = elements_of(c, 0);
  const Value* at = from != nullptr ? elements_of(c, 1) : nullptr;
  const auto numbers = at != nullptr ? known_dims(dims) : std::nullopt;
  if (!numbers) {
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const std::int64_t size = from->dims[*axis];
  const auto positions = positions_of(c, *at, size);
  if (!positions) return failure(positions);
  const std::int64_t outer = count_of(from->dims, 0, *axis);
  const std::int64_t inner = count_of(from->dims, *axis + 1, from->dims.size());
  Value gathered{from->type, *numbers, {}};
  gathered.items.reserve(*small_count(*numbers));
  for (std::int64_t block = 0; block < outer; ++block) {
    for (const std::int64_t position : *positions) {
      for (std::int64_t i = 0; i < inner; ++i) {
        if (position < 0)
          gathered.items.emplace_back(Expr::unknown());
        else
          gathered.items.push_back(from->items[(block * size + position) * inner + i]);
      }
    }
  }
  c.set_value(0, std::move(gathered));
  return {};
}

Status gather_elements_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  if (c.rank(1) != c.rank(0)) {
    return c.error(fmt::format("its indices ({}) must have as many axes as its data ({})",
                               strata::text(c.dims(1)), strata::text(c.dims(0))));
  }
  const Value* from = elements_of(c, 0);
  const Value* at = from != nullptr ? elements_of(c, 1) : nullptr;
  bool foldable = at != nullptr;
  for (std::size_t i = 0; foldable && i < c.rank(0); ++i) {
    foldable = i == *axis || at->dims[i] <= from->dims[i];
  }
  if (!foldable) {
    c.set(0, c.dtype(0), c.dims(1));
    return {};
  }
  const auto positions = positions_of(c, *at, from->dims[*axis]);
  if (!positions) return failure(positions);
  const ValueDims strides = strides_of(from->dims);
  std::size_t next = 0;
  c.set_value(0, filled(from->type, at->dims, [&](std::span<const std::int64_t> index) {
                const std::int64_t position = (*positions)[next++];
                if (position < 0) return Scalar(Expr::unknown());
                std::int64_t item = 0;
                for (std::size_t i = 0; i < index.size(); ++i) {
                  item += (i == *axis ? position : index[i]) * strides[i];
                }
                return from->items[static_cast<std::size_t>(item)];
              }));
  return {};
}

// Row `row` of an index tensor, as an offset into data whose axes [first, first + width) it
// indexes; nullopt if an index is unknown or out of range.
std::optional<std::int64_t> offset_of(const Value& indices, std::int64_t row, std::int64_t width,
                                      std::size_t first, const Value& data,
                                      const ValueDims& strides) {
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const Expr index = indices.items[static_cast<std::size_t>(row * width + i)].whole();
    const std::size_t axis = first + static_cast<std::size_t>(i);
    const std::int64_t size = data.dims[axis];
    if (!index.is_number() || index.value() < -size || index.value() >= size) return std::nullopt;
    offset += (index.value() < 0 ? index.value() + size : index.value()) * strides[axis];
  }
  return offset;
}

Status gather_nd_shape(ShapeContext& c) {
  const Dims& data = c.dims(0);
  const Dims& indices = c.dims(1);
  const std::int64_t batch_dims = c.integer("batch_dims", 0);
  if (indices.empty() || batch_dims < 0 ||
      batch_dims >= static_cast<std::int64_t>(indices.size()) ||
      batch_dims > static_cast<std::int64_t>(data.size())) {
    return c.error(fmt::format("indices {} with batch_dims {} do not fit data {}",
                               strata::text(indices), batch_dims, strata::text(data)));
  }
  const auto batch = static_cast<std::size_t>(batch_dims);
  if (!indices.back().is_number()) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  const std::int64_t width = indices.back().value();
  if (width < 0 || width > static_cast<std::int64_t>(data.size() - batch)) {
    return c.error(fmt::format("indices {} name {} axes of data {}", strata::text(indices), width,
                               strata::text(data)));
  }
  const std::size_t tail = batch + static_cast<std::size_t>(width);
  Dims dims;
  for (std::size_t i = 0; i + 1 < indices.size(); ++i) dims.push_back(indices[i]);
  for (std::size_t i = tail; i < data.size(); ++i) dims.push_back(data[i]);

  const Value* from = elements_of(c, 0);
  const Value* at = from != nullptr ? elements_of(c, 1) : nullptr;
  const auto numbers = at != nullptr ? known_dims(dims) : std::nullopt;
  const std::int64_t batches = at != nullptr ? count_of(at->dims, 0, batch) : 0;
  if (!numbers || batches == 0 || batches != count_of(from->dims, 0, batch)) {
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const ValueDims strides = strides_of(from->dims);
  const std::int64_t rows = count_of(at->dims, 0, at->dims.size() - 1);
  const std::int64_t inner = count_of(from->dims, tail, from->dims.size());
  const std::int64_t per_batch = count_of(from->dims, batch, from->dims.size());
  Value gathered{from->type, *numbers, {}};
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto offset = offset_of(*at, row, width, batch, *from, strides);
    const std::int64_t start = offset.value_or(0) + row / (rows / batches) * per_batch;
    for (std::int64_t i = 0; i < inner; ++i) {
      if (!offset)
        gathered.items.emplace_back(Expr::unknown());
      else
        gathered.items.push_back(from->items[static_cast<std::size_t>(start + i)]);
    }
  }
  c.set_value(0, std::move(gathered));
  return {};
}

// Only reads the elements that are looked up, and the indices.
void gather_cost(CostContext& c) {
  c.reads(bytes(c.out_elements(0), c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

Status one_hot_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", -1), c.rank(0) + 1);
  if (!axis) return failure(axis);
  const auto depth = c.scalar_of(1);
  if (depth && depth->is_number() && depth->value() < 0) {
    return c.error(fmt::format("depth {} is below 0", depth->text()));
  }
  Dims dims = c.dims(0);
  dims.insert(*axis, known_or_fresh(c, depth.value_or(Expr::unknown()), "depth"));

  const Value* hot = elements_of(c, 0);
  const Value* values = hot != nullptr ? elements_of(c, 2) : nullptr;
  const auto numbers = values != nullptr && values->size() == 2 ? known_dims(dims) : std::nullopt;
  if (!numbers) {
    c.set(0, c.dtype(2), std::move(dims));
    return {};
  }
  const ValueDims strides = strides_of(hot->dims);
  const std::int64_t size = (*numbers)[*axis];
  c.set_value(0, filled(values->type, *numbers, [&](std::span<const std::int64_t> index) {
                std::int64_t at = 0;
                for (std::size_t i = 0; i < strides.size(); ++i)
                  at += index[i < *axis ? i : i + 1] * strides[i];
                const Expr wanted = hot->items[static_cast<std::size_t>(at)].whole();
                if (!wanted.is_number()) return Scalar(Expr::unknown());
                const bool in_range = wanted.value() >= -size && wanted.value() < size;
                const std::int64_t position =
                    wanted.value() < 0 ? wanted.value() + size : wanted.value();
                return values->items[in_range && position == index[*axis] ? 1 : 0];
              }));
  return {};
}

constexpr Example kGather[] = {
    {"f32[50000,512], i64[2,10]", "", "f32[2,10,512]", {.macs = 0, .flops = 0}},
    {"f32[N,3,8], i64[]", "axis=1", "f32[N,8]"},
    {"i64[4]={N,3,H,W}, i64[]={-2}", "", "i64[]={H}"},
    {"i64[4]={N,3,H,W}, i64[2]={0,2}", "", "i64[2]={N,H}"},
    {"i64[2,2]={1,2,3,4}, i64[1]={1}", "axis=1", "i64[2,1]={2,4}"},
};
constexpr Example kGatherElements[] = {
    {"f32[3,3], i64[2,3]", "axis=0", "f32[2,3]", {.macs = 0, .flops = 0}},
    {"i64[2,2]={1,2,3,N}, i64[2,2]={0,0,1,0}", "axis=1", "i64[2,2]={1,1,N,3}"},
};
constexpr Example kGatherNd[] = {
    {"f32[2,2,2], i64[2,1,2]", "", "f32[2,1,2]", {.macs = 0, .flops = 0}},
    {"f32[N,5,8], i64[N,1]", "batch_dims=1", "f32[N,8]"},
    {"i64[2,2]={0,1,2,N}, i64[2,2]={0,0,1,-1}", "", "i64[2]={0,N}"},
    {"i64[2,2]={0,1,2,N}, i64[1,1]={1}", "", "i64[1,2]={2,N}"},
    {"i64[2,2]={0,1,2,N}, i64[2,1]={1,0}", "batch_dims=1", "i64[2]={1,2}"},
};
constexpr Example kOneHot[] = {
    {"i64[N,7], i64[]={10}, f32[2]", "", "f32[N,7,10]", {.macs = 0, .flops = 0}},
    {"i64[2,3], i64[1]={10}, f32[2]", "axis=1", "f32[2,10,3]"},
    {"i64[2,3], i64[1], f32[2]", "axis=0", "f32[depth,2,3]"},
    {"i64[2]={1,-3}, i64[]={3}, i64[2]={0,9}", "", "i64[2,3]={0,9,0,9,0,0}"},
};

constexpr AttributeName kGatherAttributes[] = {{Attr::Axis, "axis"}};

// x[i] is a part of x; more indices make a copy.
Strided gather_order(const NodeView& c) {
  if (!c.ranked(1) || c.rank(1) != 0) return Strided::No;
  return is_outermost(c.dims(0), c.integer("axis", 0)) ? Strided::InOrder : Strided::OutOfOrder;
}

constexpr OpRule kGatherRules[] = {
    {.name = "Gather",
     .since = 1,
     .shape = gather_shape,
     .cost = gather_cost,
     .examples = kGather,
     .settings = slots(1),
     .traits = {.op = Op::Gather,
                .kind = LayerKind::Other,
                .kind_with_weights = LayerKind::Embedding,
                .weights = 0,
                .int8 = Int8Use::Passing,
                .strided = gather_order,
                .attributes = kGatherAttributes}},
    {.name = "GatherElements",
     .since = 11,
     .shape = gather_elements_shape,
     .cost = gather_cost,
     .examples = kGatherElements,
     .settings = slots(1),
     .traits = {.op = Op::GatherND, .attributes = kGatherAttributes}},
    {.name = "GatherND",
     .since = 11,
     .shape = gather_nd_shape,
     .cost = gather_cost,
     .examples = kGatherNd,
     .settings = slots(1),
     .traits = {.op = Op::GatherND}},
    {.name = "OneHot",
     .since = 9,
     .shape = one_hot_shape,
     .cost = no_arithmetic,
     .examples = kOneHot,
     .settings = slots(0, 1, 2)},
};

}  // namespace

std::span<const OpRule> gather_rules() { return kGatherRules; }

}  // namespace strata
