// Images sampled at given positions, cropped, and moved between depth and space.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/interpolate.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Samples X (N, C, D1, …, Dn) at the positions of a grid (N, o1, …, on, n).
Status grid_sample_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  if (rank < 3 || c.rank(1) != rank)
    return c.error(fmt::format("data {} and grid {} must have the same number of axes, at least 3",
                               strata::text(c.dims(0)), strata::text(c.dims(1))));
  if (clash(c.dims(1)[rank - 1], static_cast<std::int64_t>(rank) - 2))
    return c.error(fmt::format("grid has {} coordinates where the data has {} spatial axes",
                               c.dims(1)[rank - 1].text(), rank - 2));
  Dims dims{c.dims(0)[0], c.dims(0)[1]};
  for (std::size_t i = 1; i + 1 < rank; ++i) dims.push_back(c.dims(1)[i]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Converting a coordinate in [-1, 1] to a position takes one product and one addition.
void grid_sample_cost(CostContext& c) {
  c.muls({{"coordinates", c.in_elements(1)}});
  c.adds({{"coordinates", c.in_elements(1)}});
  interpolate(c, interpolation_of(c, "bilinear"), c.rank(0) < 2 ? 0 : c.rank(0) - 2);
}

constexpr Example kGridSample[] = {
    // 12 coordinates with 2 operations, 6 outputs with 7.
    {"f32[1,1,4,4], f32[1,2,3,2]", "", "f32[1,1,2,3]", {.macs = 0, .flops = 66}, 16},
    {"f32[1,2,4,4,4], f32[1,2,3,5,3]",
     "mode=\"nearest\"",
     "f32[1,2,2,3,5]",
     {.macs = 0, .flops = 180}},
};

// theta (N, n, n+1) and size (N, C, D1, …, Dn) give a grid (N, D1, …, Dn, n).
Status affine_grid_shape(ShapeContext& c) {
  auto size = dims_from_input(c, 1, "size");
  if (!size) return failure(size);
  const Expr axes = size_at(c.in(0), 1);
  const std::size_t rank = *size ? (*size)->size() : axes.is(2) ? 4 : axes.is(3) ? 5 : 0;
  if (rank == 0) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  if ((rank != 4 && rank != 5) || clash(axes, static_cast<std::int64_t>(rank) - 2))
    return c.error(fmt::format("theta {} and a size of {} items are for no image of 2 or 3 axes",
                               strata::text(c.dims(0)), rank));
  Dims dims{size_at(c.in(0), 0)};
  if (!dims[0].is_number() && *size) dims[0] = (**size)[0];
  for (std::size_t i = 2; i < rank; ++i) dims.push_back(*size ? (**size)[i] : c.fresh("size"));
  dims.push_back(static_cast<std::int64_t>(rank) - 2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Each coordinate is a row of theta times (x, …, 1).
void affine_grid_cost(CostContext& c) {
  c.muls({{"coordinates", c.out_elements(0)}, {"axes", size_at(c.in(0), 1)}});
  c.adds({{"coordinates", c.out_elements(0)}, {"axes", size_at(c.in(0), 1)}});
}

constexpr Example kAffineGrid[] = {
    {"f32[2,2,3], i64[4]={2,3,5,6}", "", "f32[2,5,6,2]", {.macs = 0, .flops = 480}},
    {"f32[N,3,4], i64[5]={2,3,4,5,6}", "", "f32[2,4,5,6,3]"},
};

// Attribute axes get the sizes of input shape; without it, all axes do.
Status center_crop_pad_shape(ShapeContext& c) {
  const auto axes = c.integers("axes");
  const std::size_t count = axes.empty() ? c.rank(0) : axes.size();
  if (count > c.rank(0)) return c.error("attribute axes has more items than there are axes");
  auto sizes = dims_from_input(c, 1, "size");
  if (!sizes) return failure(sizes);
  if (*sizes && (*sizes)->size() != count)
    return c.error(fmt::format("{} sizes are given for {} axes", (*sizes)->size(), count));
  Dims dims = c.dims(0);
  for (std::size_t i = 0; i < count; ++i) {
    auto axis = c.axis(axes.empty() ? static_cast<std::int64_t>(i) : axes[i], dims.size());
    if (!axis) return failure(axis);
    dims[*axis] = *sizes ? (**sizes)[i] : c.fresh("size");
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

constexpr Example kCenterCropPad[] = {
    {"f32[20,10,3], i64[3]={10,7,3}", "", "f32[10,7,3]", {.macs = 0, .flops = 0}},
    {"f32[20,8,3], i64[2]={10,9}", "axes=0,1", "f32[10,9,3]"},
};

// Attribute blocksize, after the checks that both operators share.
Result<std::int64_t> block_of(const ShapeContext& c) {
  const std::int64_t block = c.integer("blocksize", 0);
  if (block < 1 || block > 1'000'000)
    return c.error("attribute blocksize is missing or out of range");
  if (c.rank(0) != 4)
    return c.error(fmt::format("input {} must have 4 axes", strata::text(c.dims(0))));
  return block;
}

// size / by, which must be an integer.
Result<Expr> part_of(const ShapeContext& c, const Expr& size, std::int64_t by) {
  if (size.is_number() && size.value() % by != 0)
    return c.error(fmt::format("size {} is not a multiple of {}", size.text(), by));
  return floor_div(size, by);
}

Status depth_to_space_shape(ShapeContext& c) {
  const auto block = block_of(c);
  if (!block) return failure(block);
  const Dims& x = c.dims(0);
  const auto depth = part_of(c, x[1], *block * *block);
  if (!depth) return failure(depth);
  c.set(0, c.dtype(0), {x[0], *depth, x[2] * *block, x[3] * *block});
  return {};
}

Status space_to_depth_shape(ShapeContext& c) {
  const auto block = block_of(c);
  if (!block) return failure(block);
  const Dims& x = c.dims(0);
  const auto height = part_of(c, x[2], *block), width = part_of(c, x[3], *block);
  if (!height) return failure(height);
  if (!width) return failure(width);
  c.set(0, c.dtype(0), {x[0], x[1] * *block * *block, *height, *width});
  return {};
}

constexpr Example kDepthToSpace[] = {
    {"f32[1,8,2,3]", "blocksize=2", "f32[1,2,4,6]", {.macs = 0, .flops = 0}},
};
constexpr Example kSpaceToDepth[] = {
    {"f32[1,2,4,6]", "blocksize=2", "f32[1,8,2,3]", {.macs = 0, .flops = 0}},
};

constexpr OpRule kSampleRules[] = {
    {.name = "GridSample",
     .since = 16,
     .shape = grid_sample_shape,
     .cost = grid_sample_cost,
     .examples = kGridSample},
    {.name = "AffineGrid",
     .since = 20,
     .shape = affine_grid_shape,
     .cost = affine_grid_cost,
     .examples = kAffineGrid,
     .settings = slots(1)},
    {.name = "CenterCropPad",
     .since = 18,
     .shape = center_crop_pad_shape,
     .cost = no_arithmetic,
     .examples = kCenterCropPad,
     .settings = slots(1)},
    {.name = "DepthToSpace",
     .shape = depth_to_space_shape,
     .cost = no_arithmetic,
     .examples = kDepthToSpace},
    {.name = "SpaceToDepth",
     .shape = space_to_depth_shape,
     .cost = no_arithmetic,
     .examples = kSpaceToDepth},
};

}  // namespace

std::span<const OpRule> sample_rules() { return kSampleRules; }

}  // namespace strata
