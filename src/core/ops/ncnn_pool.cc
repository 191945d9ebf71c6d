// Pools and resizing of ncnn.
#include <cmath>

#include "ops/interpolate.h"
#include "ops/ncnn_rows.h"
#include "ops/pool.h"
#include "ops/sizes.h"

namespace strata {

namespace {

bool is_average(const NodeView& c) { return c.integer("pooling_type", 0) != 0; }
bool is_adaptive(const NodeView& c) { return c.integer("adaptive_pooling", 0) != 0; }
bool is_global(const NodeView& c) { return c.integer("global_pooling", 0) != 0; }

LayerKind ncnn_pool_kind(const NodeView& c) {
  if (is_global(c) || is_adaptive(c))
    return is_average(c) ? LayerKind::AdaptiveAvgPool : LayerKind::AdaptiveMaxPool;
  return is_average(c) ? LayerKind::AvgPool : LayerKind::MaxPool;
}

std::int64_t item_or(std::span<const std::int64_t> list, std::size_t i, std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

// The last window may extend past the end where padding is `full`.
Expr pooled_size(const NodeView& c, std::size_t i, std::size_t axes, const Expr& input) {
  constexpr std::int64_t kFull = 0, kValid = 1;
  if (is_adaptive(c)) {
    const std::int64_t size = item_or(c.integers("output_size"), i, -233);
    return size == -233 ? input : Expr(size);
  }
  const std::int64_t mode = c.integer("pad_mode", kFull);
  const std::int64_t stride = std::max<std::int64_t>(1, item_or(c.integers("strides"), i, 1));
  if (mode != kFull && mode != kValid) return ceil_div(input, stride);
  const auto pads = c.integers("pads");
  const Expr places = input + item_or(pads, i, 0) + item_or(pads, axes + i, 0) -
                      item_or(c.integers("kernel_shape"), i, 1);
  return (mode == kFull ? ceil_div(places, stride) : floor_div(places, stride)) + 1;
}

Status ncnn_pool_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.size() < 3) return c.error("its input has no axis to pool");
  if (is_global(c)) {
    dims.resize(2);
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  const std::size_t axes = dims.size() - 2;
  for (std::size_t i = 0; i < axes; ++i) dims[2 + i] = pooled_size(c, i, axes, dims[2 + i]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void ncnn_pool_cost(CostContext& c) {
  Expr window = 1;
  if (is_global(c)) {
    window = product_from(c.in(0), 2);
  } else if (is_adaptive(c)) {
    for (std::size_t i = 2; i < c.in(0).dims.size(); ++i)
      window *= ceil_div(size_at(c.in(0), i), size_at(c.out(0), i));
  } else {
    for (const std::int64_t size : c.integers("kernel_shape")) window *= size;
  }
  if (is_average(c))
    average_of_window(c, window);
  else
    max_of_window(c, window);
}

// A size that the layer states, that of another blob, or the input's times a factor, rounded down.
Expr resized(ShapeContext& c, const Expr& input, std::string_view size, std::string_view scale) {
  const std::int64_t stated = c.integer(size, 0);
  if (stated > 0) return stated;
  const double factor = c.real(scale, 1);
  if (!(factor > 0 && factor < 1e6)) return c.fresh("size");
  if (factor == std::floor(factor)) return input * static_cast<std::int64_t>(factor);
  const double parts = 1 / factor;
  if (parts == std::floor(parts)) return floor_div(input, static_cast<std::int64_t>(parts));
  if (!input.is_number()) return c.fresh("size");
  return static_cast<std::int64_t>(static_cast<double>(input.value()) * factor);
}

Status interp_shape(ShapeContext& c) {
  Dims dims = c.dims(0);
  if (dims.size() < 2) return c.error("its input has no axis to resize");
  if (dims.size() == 2) dims.push_back(1), dims.push_back(1);
  const std::size_t width = dims.size() - 1, height = width - 1;
  const bool by_other = c.has(1) && c.rank(1) >= 3;
  const bool has_height = dims.size() > 3;
  if (by_other) {
    dims[width] = size_from_end(c.in(1), 0);
    if (has_height) dims[height] = size_from_end(c.in(1), 1);
  } else if (c.has_attribute("size_expr")) {
    const auto stated = ncnn_sizes(c, c.text("size_expr", ""));
    const auto size = [&](std::size_t i, std::string_view hint) {
      return stated && i < stated->size() && !(*stated)[i].is_unknown() ? (*stated)[i]
                                                                        : c.fresh(hint);
    };
    dims[width] = size(0, "width");
    if (has_height) dims[height] = size(1, "height");
  } else {
    dims[width] = resized(c, dims[width], "output_width", "width_scale");
    if (has_height) dims[height] = resized(c, dims[height], "output_height", "height_scale");
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void interp_cost(CostContext& c) {
  std::size_t axes = 0;
  for (std::size_t i = 0; i < c.in(0).dims.size() && i < c.out(0).dims.size(); ++i)
    axes += !(c.in(0).dims[i] == c.out(0).dims[i]);
  const std::int64_t type = c.integer("resize_type", 1);
  interpolate(c,
              type == 2   ? Interpolation::Linear
              : type == 3 ? Interpolation::Cubic
                          : Interpolation::Nearest,
              axes);
}

// sample_type: 1 nearest, 2 linear, 3 cubic.
Status grid_shape(ShapeContext& c) {
  if (c.rank(0) < 4 || c.rank(1) != c.rank(0))
    return c.error("its input and its grid need as many axes");
  const bool is_permuted = c.integer("permute_fusion", 0) != 0;
  Dims dims = c.dims(0);
  for (std::size_t i = 2; i < dims.size(); ++i) dims[i] = c.dims(1)[is_permuted ? i : i - 1];
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
void grid_cost(CostContext& c) {
  const std::int64_t type = c.integer("sample_type", 1);
  interpolate(c,
              type == 2   ? Interpolation::Linear
              : type == 3 ? Interpolation::Cubic
                          : Interpolation::Nearest,
              c.in(0).dims.size() < 2 ? 0 : c.in(0).dims.size() - 2);
}

constexpr Example kNcnnPooling[] = {
    {"f32[1,64,113,113]",
     "kernel_shape=2,2 strides=2,2 pads=0,0,0,0",
     "f32[1,64,57,57]",
     {.macs = 0, .flops = 64 * 57 * 57 * 3}},
    {"f32[1,64,113,113]", "kernel_shape=2,2 strides=2,2 pad_mode=1", "f32[1,64,56,56]"},
    {"f32[1,64,7,7]",
     "pooling_type=1 global_pooling=1",
     "f32[1,64]",
     {.macs = 0, .flops = 64 * 49}},
    {"f32[1,8,N,12]", "adaptive_pooling=1 output_size=-233,4", "f32[1,8,N,4]"}};
constexpr Example kNcnnPooling1d[] = {
    {"f32[1,4,9]", "kernel_shape=2, strides=2,", "f32[1,4,5]", {.macs = 0, .flops = 20}}};
constexpr Example kNcnnPooling3d[] = {{"f32[1,4,4,4,4]",
                                       "kernel_shape=2,2,2 strides=2,2,2",
                                       "f32[1,4,2,2,2]",
                                       {.macs = 0, .flops = 32 * 7}}};
constexpr Example kNcnnInterp[] = {
    {"f32[1,4,H,8]",
     "resize_type=1 height_scale=2.0f width_scale=2.0f",
     "f32[1,4,2·H,16]",
     {.macs = 0, .flops = 0}},
    {"f32[1,4,8,8]", "resize_type=2 output_height=5 output_width=7", "f32[1,4,5,7]"},
    {"f32[1,4,H,8]", "resize_type=2 size_expr=\"*(0w,2),//(0h,2)\"", "f32[1,4,⌊H/2⌋,16]"},
    {"f32[1,4,8,8], f32[1,9,3,4]", "resize_type=2", "f32[1,4,3,4]"}};
constexpr Example kNcnnGrid[] = {{"f32[1,3,8,8], f32[1,4,5,2]", "sample_type=1", "f32[1,3,4,5]"}};

constexpr OpRule kNcnnPoolRules[] = {
    ncnn("Pooling", "", ncnn_pool_shape, ncnn_pool_cost, kNcnnPooling, {.kind_of = ncnn_pool_kind}),
    ncnn("Pooling1D", "", ncnn_pool_shape, ncnn_pool_cost, kNcnnPooling1d,
         {.kind_of = ncnn_pool_kind}),
    ncnn("Pooling3D", "", ncnn_pool_shape, ncnn_pool_cost, kNcnnPooling3d,
         {.kind_of = ncnn_pool_kind}),
    ncnn("Interp", "", interp_shape, interp_cost, kNcnnInterp, {.kind = LayerKind::Upsample}),
    ncnn("GridSample", "", grid_shape, grid_cost, kNcnnGrid, {.kind = LayerKind::Other}),
};

}  // namespace

std::span<const OpRule> ncnn_pool_rules() { return kNcnnPoolRules; }

}  // namespace strata
