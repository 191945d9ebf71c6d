// Layers of ncnn on blocks of images, regions and signals; attention without weights.
#include <algorithm>

#include "ops/matmul.h"
#include "ops/ncnn_rows.h"
#include "ops/pool.h"
#include "ops/signal.h"
#include "ops/sizes.h"

namespace strata {

namespace {

std::int64_t at_or(std::span<const std::int64_t> list, std::size_t i, std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

// How many windows fit along axis i of an image: 0 its height, 1 its width.
Expr windows_along(const NodeView& c, std::size_t i, const Expr& size) {
  const auto pads = c.integers("pads");
  const std::int64_t reach =
      at_or(c.integers("dilations"), i, 1) * (at_or(c.integers("kernel_shape"), i, 1) - 1) + 1;
  const Expr places = size + at_or(pads, i, 0) + at_or(pads, i + 2, 0) - reach;
  return floor_div(places, std::max<std::int64_t>(1, at_or(c.integers("strides"), i, 1))) + 1;
}
std::int64_t window_of_block(const NodeView& c) {
  const auto kernel = c.integers("kernel_shape");
  const std::int64_t height = at_or(kernel, 0, 0), width = at_or(kernel, 1, 0);
  constexpr std::int64_t kMost = 1 << 20;
  return height < 1 || width < 1 || height > kMost || width > kMost ? 0 : height * width;
}

// Images (C, H, W) to columns (C·window, places), and back.
Status unfold_shape(ShapeContext& c) {
  const std::int64_t window = window_of_block(c);
  if (c.rank(0) != 4 || window == 0)
    return c.error("its input is not an image, or it has no window");
  const Dims& image = c.dims(0);
  c.set(0, c.dtype(0),
        Dims{image[0], image[1] * window,
             windows_along(c, 0, image[2]) * windows_along(c, 1, image[3])});
  return {};
}
Status fold_shape(ShapeContext& c) {
  const std::int64_t window = window_of_block(c);
  const auto size = c.integers("output_size");
  if (c.rank(0) != 3 || window == 0) return c.error("its input has no columns, or it no window");
  c.set(0, c.dtype(0),
        Dims{c.dims(0)[0], floor_div(c.dims(0)[1], window), at_or(size, 0, 0), at_or(size, 1, 0)});
  return {};
}
void fold_cost(CostContext& c) { c.adds({{"columns' elements", c.in_elements(0)}}); }

// Queries (heads, rows, width), keys, values, and perhaps a mask.
Status sdpa_shape(ShapeContext& c) {
  if (c.rank(0) < 3 || c.rank(2) < 3) return c.error("its inputs need three axes");
  Dims dims = c.dims(0);
  dims[dims.size() - 1] = size_from_end(c.in(2), 0);
  c.set(0, c.dtype(0), std::move(dims));
  // With a cache, the keys and values of earlier calls stand before the new ones.
  const std::size_t past = c.integer("attn_mask", 0) != 0 ? 4 : 3;
  for (std::size_t i = 0; i < 2 && c.output_count() > 1; ++i) {
    Dims kept = c.dims(1 + i);
    if (c.has(past + i)) kept[kept.size() - 2] += size_from_end(c.in(past + i), 1);
    c.set(1 + i, c.dtype(1 + i), std::move(kept));
  }
  return {};
}
void sdpa_cost(CostContext& c) {
  const bool caches = c.output_count() > 1;
  const Expr keys = caches ? size_from_end(c.out(1), 1) : size_from_end(c.in(1), 1);
  const Expr width = size_from_end(c.in(0), 0);
  const Expr scores = share_of(c.in_elements(0), width) * keys;
  c.macs({{"scores", scores}, {"width", width}});
  c.macs({{"outputs", c.out_elements(0)}, {"keys", keys}});
  c.muls({{"scores, scaled", scores}});
  if (c.integer("attn_mask", 0) != 0) c.adds({{"scores and mask", scores}});
  add_elementwise(c, "Softmax", scores);
}
// Data, cosines, sines: halves are turned.
void ncnn_rotary_cost(CostContext& c) { work_per_output<1, 2, 0>(c); }

Recast ncnn_einsum(const NodeView& c) { return unchanged(c, "Einsum"); }

Status diag_shape(ShapeContext& c) {
  if (c.rank(0) != 2) return c.error("its input needs one axis");
  const std::int64_t off = c.integer("diagonal", 0);
  const Expr side = c.dims(0)[1] + (off < 0 ? -off : off);
  c.set(0, c.dtype(0), Dims{c.dims(0)[0], side, side});
  return {};
}

// A transform of each window of a signal; power 0 keeps both parts of the numbers.
Status spectrogram_shape(ShapeContext& c) {
  const std::int64_t length = c.integer("n_fft", 0), hop = c.integer("hoplen", length / 4);
  if (c.rank(0) != 2 || length < 1 || hop < 1) return c.error("its input needs one axis");
  const Expr padded = c.dims(0)[1] + (c.integer("center", 1) != 0 ? length / 2 * 2 : 0);
  const Expr steps = floor_div(padded - length, hop) + 1;
  const std::int64_t bins = c.integer("onesided", 1) != 0 ? length / 2 + 1 : length;
  Dims dims = {c.dims(0)[0], bins, steps};
  if (c.integer("power", 0) == 0) dims.push_back(2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
void spectrogram_cost(CostContext& c) {
  fourier_cost(c, size_at(c.out(0), 2), c.integer("n_fft", 0), true);
}

// Means of all places of a channel, and perhaps deviations.
Status statistics_shape(ShapeContext& c) {
  if (c.rank(0) < 3) return c.error("its input has no axis to pool");
  const std::int64_t parts = c.integer("include_stddev", 0) != 0 ? 2 : 1;
  c.set(0, c.dtype(0), Dims{c.dims(0)[0], c.dims(0)[1] * parts});
  return {};
}
void statistics_cost(CostContext& c) {
  const bool deviates = c.integer("include_stddev", 0) != 0;
  c.adds({{"inputs", c.in_elements(0)}, {"sums", deviates ? 3 : 1}});
  if (deviates) c.muls({{"inputs, squared", c.in_elements(0)}});
  c.specials({{"outputs", c.out_elements(0)}});
}

// Regions of an image.
Status region_shape(ShapeContext& c) {
  if (c.rank(0) < 2) return c.error("its input has no channels");
  const std::int64_t channels = c.integer("channels", 0);
  c.set(0, c.dtype(0),
        Dims{c.dims(0)[0], channels > 0 ? Expr(channels) : c.dims(0)[1], c.integer("height", 0),
             c.integer("width", 0)});
  return {};
}
void region_cost(CostContext& c) {
  c.adds({{"outputs", c.out_elements(0)}});
  c.at_least("how many elements each output has depends on the data");
}
Status unranked_shape(ShapeContext& c) {
  for (std::size_t i = 0; i < c.output_count(); ++i) c.set_unranked(i, DType::F32);
  return {};
}
void boxes_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}});
  c.at_least("one comparison is counted per element; it needs more");
}

constexpr Example kNcnnUnfold[] = {{"f32[1,3,6,6]",
                                    "kernel_shape=2,2 dilations=1,1 strides=1,1 pads=0,0,0,0",
                                    "f32[1,12,25]",
                                    {.macs = 0, .flops = 0}}};
constexpr Example kNcnnFold[] = {{"f32[1,12,25]",
                                  "kernel_shape=2,2 output_size=6,6",
                                  "f32[1,3,6,6]",
                                  {.macs = 0, .flops = 300}}};
// 2·6·5 scores of 8 products, 2·6·8 outputs of 5.
constexpr Example kNcnnSdpa[] = {
    {"f32[1,2,6,8], f32[1,2,5,8], f32[1,2,5,8]", "", "f32[1,2,6,8]", {.macs = 960}}};
constexpr Example kNcnnRotary[] = {
    {"f32[1,2,6,8], f32[1,6,4], f32[1,6,4]", "", "f32[1,2,6,8]", {.macs = 0, .flops = 288}}};
constexpr Example kNcnnEinsum[] = {{"f32[1,2,3,4], f32[1,2,5,4]",
                                    "equation=\"...ijl,...ikl->...ijk\"",
                                    "f32[1,2,3,5]",
                                    {.macs = 120}}};
constexpr Example kNcnnDiag[] = {
    {"f32[1,4]", "diagonal=-1", "f32[1,5,5]", {.macs = 0, .flops = 0}}};
// A window of 8, one step of 2 at a time: (16 + 8 - 8) / 2 + 1 = 9.
constexpr Example kNcnnSpectrogram[] = {
    {"f32[1,16]", "n_fft=8 hoplen=2 power=2", "f32[1,5,9]", {.macs = 0}}};
constexpr Example kNcnnStatistics[] = {
    {"f32[1,4,8]", "include_stddev=1", "f32[1,8]", {.macs = 0, .flops = 136}}};
constexpr Example kNcnnRegion[] = {
    {"f32[1,4,8,8], f32[1,4]", "width=3 height=2", "f32[1,4,2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kNcnnBoxes[] = {{"f32[1,4,8]", "", "f32[?]", {.macs = 0, .flops = 32}}};

constexpr OpRule boxes(std::string_view name) {
  return ncnn(name, "", unranked_shape, boxes_cost, kNcnnBoxes, {.kind = LayerKind::Other});
}

constexpr OpRule kNcnnBlocksRules[] = {
    ncnn("Unfold", "", unfold_shape, no_arithmetic, kNcnnUnfold, {.kind = LayerKind::Other}),
    ncnn("Fold", "", fold_shape, fold_cost, kNcnnFold, {.kind = LayerKind::Other}),
    ncnn("SDPA", "", sdpa_shape, sdpa_cost, kNcnnSdpa,
         {.kind = LayerKind::Attention, .product = Product::Other}),
    ncnn("RotaryEmbed", "", like_input, ncnn_rotary_cost, kNcnnRotary, {.kind = LayerKind::Other}),
    ncnn("Einsum", "Einsum", shape_of<ncnn_einsum>, cost_of<ncnn_einsum>, kNcnnEinsum),
    ncnn("Diag", "", diag_shape, no_arithmetic, kNcnnDiag, {.kind = LayerKind::Other}),
    ncnn("Spectrogram", "", spectrogram_shape, spectrogram_cost, kNcnnSpectrogram,
         {.kind = LayerKind::Other}),
    ncnn("StatisticsPooling", "", statistics_shape, statistics_cost, kNcnnStatistics,
         {.kind = LayerKind::Other}),
    ncnn("ROIPooling", "", region_shape, region_cost, kNcnnRegion, {.kind = LayerKind::Other}),
    ncnn("ROIAlign", "", region_shape, region_cost, kNcnnRegion, {.kind = LayerKind::Other}),
    ncnn("PSROIPooling", "", region_shape, region_cost, kNcnnRegion, {.kind = LayerKind::Other}),
    boxes("DetectionOutput"),
    boxes("PriorBox"),
    boxes("Proposal"),
    boxes("YoloDetectionOutput"),
    boxes("Yolov3DetectionOutput"),
};

}  // namespace

std::span<const OpRule> ncnn_blocks_rules() { return kNcnnBlocksRules; }

}  // namespace strata
