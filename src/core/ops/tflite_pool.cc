// Pools and resizing of TFLite: images N×H×W×C.
#include "ops/interpolate.h"
#include "ops/pool.h"
#include "ops/registry.h"
#include "ops/tflite_rows.h"
#include "ops/window.h"

namespace strata {

namespace {

template <Word onnx>
Recast image_pool(const NodeView& c) {
  Recast other = unchanged(c, onnx.view());
  other.is_image = true;
  return other;
}

// The second input has the height and the width.
Status tflite_resize_shape(ShapeContext& c) {
  if (c.rank(0) != 4) return c.error("its input needs four axes");
  Dims dims = c.dims(0);
  const auto sizes = c.integers_of(1);
  for (std::size_t i = 0; i < 2; ++i)
    dims[1 + i] = sizes && sizes->size() == 2 ? (*sizes)[i] : c.fresh("size");
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

std::size_t resized_axes(const NodeView& c) {
  std::size_t axes = 0;
  for (std::size_t i = 0; i < c.in(0).dims.size() && i < c.out(0).dims.size(); ++i)
    axes += !(c.in(0).dims[i] == c.out(0).dims[i]);
  return axes;
}
void bilinear_cost(CostContext& c) { interpolate(c, Interpolation::Linear, resized_axes(c)); }

template <Word onnx>
Recast blocks(const NodeView& c) {
  Recast other{onnx.view()};
  other.inputs = {input_of(c, 0)};
  other.attributes = {{"blocksize", c.integer("block_size", 0)}};
  other.is_image = true;
  return other;
}

constexpr Example kTfliteMax[] = {
    {"f32[1,112,112,64]",
     "kernel_shape=2,2 strides=2,2 auto_pad=\"VALID\"",
     "f32[1,56,56,64]",
     {.macs = 0, .flops = 200704 * 3}},
};
// 8 additions and a division each.
constexpr Example kTfliteAverage[] = {
    {"i8[1,6,6,2]",
     "kernel_shape=3,3 strides=3,3 auto_pad=\"SAME_UPPER\"",
     "i8[1,2,2,2]",
     {.macs = 0, .flops = 8 * 9}},
};
constexpr Example kTfliteL2[] = {
    {"f32[1,4,4,2]", "kernel_shape=2,2 strides=2,2 auto_pad=\"VALID\"", "f32[1,2,2,2]"},
};
// Four products and three sums for each element.
constexpr Example kTfliteBilinear[] = {
    {"f32[1,8,8,3], i32[2]={16,16}", "", "f32[1,16,16,3]", {.macs = 0, .flops = 768 * 7}},
};
constexpr Example kTfliteNearest[] = {
    {"f32[1,8,8,3], i32[2]={16,24}", "", "f32[1,16,24,3]", {.macs = 0, .flops = 0}},
};
constexpr Example kTfliteToSpace[] = {
    {"f32[1,4,6,8]", "block_size=2", "f32[1,8,12,2]", {.macs = 0, .flops = 0}},
};
constexpr Example kTfliteToDepth[] = {
    {"f32[1,8,12,2]", "block_size=2", "f32[1,4,6,8]", {.macs = 0, .flops = 0}},
};

constexpr AttributeName kTflitePoolAttributes[] = {
    {Attr::Kernel, "kernel_shape"}, {Attr::Strides, "strides"}, {Attr::Pads, "pads"}};
constexpr Traits pool_traits(LayerKind kind) {
  return {.kind = kind, .channels_last = true, .attributes = kTflitePoolAttributes};
}
constexpr AttributeName kTfliteResizeMode[] = {{Attr::Mode, "mode", 0, "linear"}};

constexpr OpRule kTflitePoolRules[] = {
    tflite_as<"MaxPool", image_pool<"MaxPool">>("MAX_POOL_2D", kTfliteMax,
                                                pool_traits(LayerKind::MaxPool)),
    tflite_as<"AveragePool", image_pool<"AveragePool">>("AVERAGE_POOL_2D", kTfliteAverage,
                                                        pool_traits(LayerKind::AvgPool)),
    tflite_as<"LpPool", image_pool<"LpPool">>("L2_POOL_2D", kTfliteL2,
                                              pool_traits(LayerKind::Other)),
    with_settings(tflite("RESIZE_BILINEAR", "Resize", tflite_resize_shape, bilinear_cost,
                         kTfliteBilinear, {.channels_last = true, .attributes = kTfliteResizeMode}),
                  slots(1)),
    with_settings(tflite("RESIZE_NEAREST_NEIGHBOR", "Resize", tflite_resize_shape, no_arithmetic,
                         kTfliteNearest, {.channels_last = true, .attributes = kTfliteResizeMode}),
                  slots(1)),
    tflite_as<"DepthToSpace", blocks<"DepthToSpace">>("DEPTH_TO_SPACE", kTfliteToSpace,
                                                      {.kind = LayerKind::Other}),
    tflite_as<"SpaceToDepth", blocks<"SpaceToDepth">>("SPACE_TO_DEPTH", kTfliteToDepth,
                                                      {.kind = LayerKind::Other}),
};

}  // namespace

std::span<const OpRule> tflite_pool_rules() { return kTflitePoolRules; }

}  // namespace strata
