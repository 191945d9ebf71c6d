// Resizing and sampling of PyTorch. The operator's name is the mode.
#include "ops/aten_rows.h"
#include "ops/interpolate.h"
#include "ops/registry.h"

namespace strata {

namespace {

// Only axes whose size changes are interpolated.
std::size_t changed_axes(const NodeView& c) {
  std::size_t axes = 0;
  for (std::size_t i = 0; i < c.in(0).dims.size() && i < c.out(0).dims.size(); ++i)
    axes += !(c.in(0).dims[i] == c.out(0).dims[i]);
  return axes;
}
template <Interpolation kind>
void upsample_cost(CostContext& c) {
  interpolate(c, kind, changed_axes(c));
}
template <Interpolation kind>
void antialiased_cost(CostContext& c) {
  interpolate(c, kind, changed_axes(c));
  c.at_least("with antialias a smaller output looks at more neighbours");
}

// input, grid: every coordinate is scaled and shifted.
void grid_cost(CostContext& c) {
  c.muls({{"coordinates", c.in_elements(1)}});
  c.adds({{"coordinates", c.in_elements(1)}});
  constexpr Interpolation kModes[] = {Interpolation::Linear, Interpolation::Nearest,
                                      Interpolation::Cubic};
  const std::int64_t mode = c.integer("interpolation_mode", 0);
  if (mode < 0 || mode > 2) return c.cannot_tell("its mode of interpolation is not known");
  interpolate(c, kModes[mode], c.rank(0) < 2 ? 0 : c.rank(0) - 2);
}

constexpr Example kNearest[] = {
    {"f32[1,64,7,7]", "output_size=14,14", "f32[1,64,14,14]", {.macs = 0, .flops = 0}}};
// 10 outputs of 2 products and an addition.
constexpr Example kLinear[] = {
    {"f32[1,1,5]", "output_size=10,", "f32[1,1,10]", {.macs = 0, .flops = 30}}};
// 196·64 outputs of 4 products and 3 additions.
constexpr Example kBilinear[] = {
    {"f32[1,64,7,7]", "output_size=14,14", "f32[1,64,14,14]", {.macs = 0, .flops = 12544 * 7}}};
constexpr Example kTrilinear[] = {
    {"f32[1,1,2,2,2]", "output_size=4,4,4", "f32[1,1,4,4,4]", {.macs = 0, .flops = 64 * 15}}};
constexpr Example kBicubic[] = {
    {"f32[1,1,4,4]", "output_size=8,8", "f32[1,1,8,8]", {.macs = 0, .flops = 64 * 31}}};
// 12 coordinates with 2 operations, 6 outputs with 7.
constexpr Example kGrid[] = {{"f32[1,1,4,4], f32[1,2,3,2]",
                              "interpolation_mode=0 padding_mode=0 align_corners=0",
                              "f32[1,1,2,3]",
                              {.macs = 0, .flops = 66}}};
constexpr Example kGrid3d[] = {{"f32[1,2,4,4,4], f32[1,2,3,5,3]",
                                "interpolation_mode=1",
                                "f32[1,2,2,3,5]",
                                {.macs = 0, .flops = 180}}};
constexpr Example kAffine[] = {
    {"f32[2,2,3]", "size=2,3,5,6", "f32[2,5,6,2]", {.macs = 0, .flops = 480}}};

constexpr AttributeName kNearestMode[] = {{Attr::Mode, "", 0, "nearest"}};
constexpr AttributeName kLinearMode[] = {{Attr::Mode, "", 0, "linear"}};
constexpr AttributeName kCubicMode[] = {{Attr::Mode, "", 0, "cubic"}};

constexpr OpRule upsample(std::string_view name, CostRule cost, std::span<const Example> examples,
                          std::span<const AttributeName> mode) {
  return aten(name, cost, examples,
              {.kind = LayerKind::Upsample, .int8 = Int8Use::None, .attributes = mode});
}
constexpr OpRule nearest(std::string_view name) {
  return upsample(name, upsample_cost<Interpolation::Nearest>, kNearest, kNearestMode);
}
constexpr Traits kSamples = {.kind = LayerKind::Other, .int8 = Int8Use::None};

constexpr OpRule kAtenResizeRules[] = {
    nearest("upsample_nearest1d"),
    nearest("upsample_nearest2d"),
    nearest("upsample_nearest3d"),
    nearest("_upsample_nearest_exact1d"),
    nearest("_upsample_nearest_exact2d"),
    nearest("_upsample_nearest_exact3d"),
    upsample("upsample_linear1d", upsample_cost<Interpolation::Linear>, kLinear, kLinearMode),
    upsample("upsample_bilinear2d", upsample_cost<Interpolation::Linear>, kBilinear, kLinearMode),
    upsample("upsample_trilinear3d", upsample_cost<Interpolation::Linear>, kTrilinear, kLinearMode),
    upsample("upsample_bicubic2d", upsample_cost<Interpolation::Cubic>, kBicubic, kCubicMode),
    upsample("_upsample_bilinear2d_aa", antialiased_cost<Interpolation::Linear>, kBilinear,
             kLinearMode),
    upsample("_upsample_bicubic2d_aa", antialiased_cost<Interpolation::Cubic>, kBicubic,
             kCubicMode),
    aten_as("grid_sampler", "GridSample", grid_cost, kGrid, kSamples),
    aten_as("grid_sampler_2d", "GridSample", grid_cost, kGrid, kSamples),
    aten_as("grid_sampler_3d", "GridSample", grid_cost, kGrid3d, kSamples),
    aten_like("affine_grid_generator", "AffineGrid", kAffine, kSamples),
};

}  // namespace

std::span<const OpRule> aten_resize_rules() { return kAtenResizeRules; }

}  // namespace strata
