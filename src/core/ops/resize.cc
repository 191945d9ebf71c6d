#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/interpolate.h"
#include "ops/registry.h"

namespace strata {

namespace {

// ⌊size · scale⌋. A number is scaled in single precision, as engines do. A formula is scaled by the
// fraction that the scale represents (0.5, 4/3), if there is one.
std::optional<Expr> scaled(const Expr& size, float scale) {
  if (!(scale >= 0) || !std::isfinite(scale)) return std::nullopt;
  if (const auto number = size.number()) {
    const float product = std::floor(static_cast<float>(*number) * scale);
    if (!(product < 4e18F)) return Expr::overflow();
    return Expr(static_cast<std::int64_t>(product));
  }
  constexpr int kMaxDenominator = 64;
  for (int denominator = 1; denominator <= kMaxDenominator; ++denominator) {
    const float numerator = std::round(scale * static_cast<float>(denominator));
    if (numerator > 1e6F) break;
    if (numerator / static_cast<float>(denominator) == scale)
      return floor_div(size * static_cast<std::int64_t>(numerator), denominator);
  }
  return std::nullopt;
}

// The part of an axis that tf_crop_and_resize keeps, if input roi gives it; otherwise 1.
class Crop {
 public:
  Crop(ShapeContext& c, std::size_t count) : count_(count) {
    if (c.text("coordinate_transformation_mode", "") != "tf_crop_and_resize") return;
    roi_ = c.value(1);
    if (roi_ != nullptr && roi_->size() != 2 * count) roi_ = nullptr;
  }
  float of(std::size_t i) const {
    if (roi_ == nullptr) return 1;
    const auto start = roi_->items[i].number(), end = roi_->items[count_ + i].number();
    return start && end ? static_cast<float>(*end - *start) : 1;
  }

 private:
  const Value* roi_ = nullptr;
  std::size_t count_;
};

using AxisList = InlineVector<std::size_t, 5>;

// The axes that scales and sizes apply to: attribute axes, or all.
Result<AxisList> resized_axes(const ShapeContext& c) {
  AxisList axes;
  const auto given = c.integers("axes");
  if (given.empty())
    for (std::size_t i = 0; i < c.rank(0); ++i) axes.push_back(i);
  if (given.size() > c.rank(0)) return c.error("attribute axes has more items than there are axes");
  for (const std::int64_t item : given) {
    auto axis = c.axis(item, c.rank(0));
    if (!axis) return failure(axis);
    if (std::find(axes.begin(), axes.end(), *axis) != axes.end())
      return c.error(fmt::format("attribute axes has axis {} twice", item));
    axes.push_back(*axis);
  }
  return axes;
}

// One scale for all listed axes that keeps the aspect ratio: the smallest that the sizes ask for
// (not_larger) or the largest (not_smaller).
void keep_aspect(ShapeContext& c, bool not_larger, const AxisList& axes,
                 std::span<const Expr> sizes, Dims& dims) {
  std::optional<float> best;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto from = c.dims(0)[axes[i]].number(), to = sizes[i].number();
    if (!from || !to || *from <= 0) {
      for (const std::size_t axis : axes) dims[axis] = c.fresh("size");
      return;
    }
    const float scale = static_cast<float>(*to) / static_cast<float>(*from);
    if (!best || (not_larger ? scale < *best : scale > *best)) best = scale;
  }
  for (const std::size_t axis : axes) {
    const auto from = static_cast<float>(c.dims(0)[axis].value());
    dims[axis] = static_cast<std::int64_t>(std::min(std::floor(*best * from + 0.5F), 4e18F));
  }
}

Status by_sizes(ShapeContext& c, std::size_t slot, const AxisList& axes, Dims& dims) {
  const auto sizes = c.integers_of(slot);
  if (!sizes) {
    for (const std::size_t axis : axes) dims[axis] = c.fresh("size");
    return {};
  }
  if (sizes->size() != axes.size())
    return c.error(fmt::format("{} sizes are given for {} axes", sizes->size(), axes.size()));
  for (const Expr& size : *sizes)
    if (size.is_number() && size.value() < 0)
      return c.error(fmt::format("input sizes has the negative size {}", size.text()));
  const std::string_view policy = c.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger" || policy == "not_smaller") {
    keep_aspect(c, policy == "not_larger", axes, *sizes, dims);
    return {};
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Expr& size = (*sizes)[i];
    dims[axes[i]] = size.is_unknown() ? c.fresh("size") : size;
  }
  return {};
}

// `scale` returns the scale of the i-th listed axis, or nullopt if it is unknown.
template <class Scale>
void by_scales(ShapeContext& c, const AxisList& axes, const Scale& scale, Dims& dims) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<float> factor = scale(i);
    const auto size = factor ? scaled(c.dims(0)[axes[i]], *factor) : std::nullopt;
    dims[axes[i]] = size ? *size : c.fresh("size");
  }
}

Status by_scale_input(ShapeContext& c, std::size_t slot, const AxisList& axes, Dims& dims) {
  const Value* scales = c.value(slot);
  if (scales != nullptr && scales->size() != axes.size())
    return c.error(fmt::format("{} scales are given for {} axes", scales->size(), axes.size()));
  const Crop crop(c, axes.size());
  by_scales(
      c, axes,
      [&](std::size_t i) -> std::optional<float> {
        if (scales == nullptr) return std::nullopt;
        const auto number = scales->items[i].number();
        if (!number) return std::nullopt;
        return static_cast<float>(*number) * crop.of(i);
      },
      dims);
  return {};
}

// An empty tensor means that the input is left out.
bool given(const ShapeContext& c, std::size_t slot) {
  return c.has(slot) && !(c.rank(slot) == 1 && c.dims(slot)[0].is(0));
}

// Version 10: X, scales. From 11: X, roi, scales, sizes.
Status resize_shape(ShapeContext& c) {
  auto axes = resized_axes(c);
  if (!axes) return failure(axes);
  Dims dims = c.dims(0);
  Status done;
  if (c.opset() >= 11 && given(c, 3)) {
    done = by_sizes(c, 3, *axes, dims);
  } else {
    const std::size_t slot = c.opset() >= 11 ? 2 : 1;
    if (!given(c, slot)) return c.error("neither scales nor sizes are given");
    done = by_scale_input(c, slot, *axes, dims);
  }
  if (!done) return done;
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Version 1: attributes height_scale and width_scale; 7: attribute scales; 9: input.
Status upsample_shape(ShapeContext& c) {
  auto axes = resized_axes(c);
  if (!axes) return failure(axes);
  Dims dims = c.dims(0);
  if (c.opset() >= 9) {
    if (auto done = by_scale_input(c, 1, *axes, dims); !done) return done;
  } else if (c.opset() >= 7) {
    const auto scales = c.reals("scales");
    if (scales.size() != axes->size())
      return c.error(fmt::format("{} scales are given for {} axes", scales.size(), axes->size()));
    by_scales(
        c, *axes, [&](std::size_t i) { return std::optional(scales[i]); }, dims);
  } else {
    if (axes->size() != 4) return c.error("input must have 4 axes");
    const double factors[] = {1, 1, c.real("height_scale", 1), c.real("width_scale", 1)};
    by_scales(
        c, *axes, [&](std::size_t i) { return std::optional(static_cast<float>(factors[i])); },
        dims);
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Only axes whose size changes are interpolated.
void resize_cost(CostContext& c) {
  std::size_t axes = 0;
  for (std::size_t i = 0; i < c.in(0).dims.size() && i < c.out(0).dims.size(); ++i)
    axes += !(c.in(0).dims[i] == c.out(0).dims[i]);
  const Interpolation kind = interpolation_of(c, "nearest");
  interpolate(c, kind, axes);
  if (kind != Interpolation::Nearest && c.integer("antialias", 0) != 0)
    c.at_least("with antialias a smaller output looks at more neighbours");
}

constexpr Example kResize[] = {
    {"f32[1,64,7,7], _, f32[4]={1,1,2,2}", "", "f32[1,64,14,14]", {.macs = 0, .flops = 0}},
    // Bilinear: 196·64 outputs of 4 products and 3 additions.
    {"f32[1,64,7,7], _, _, i64[4]={1,64,14,14}",
     "mode=\"linear\"",
     "f32[1,64,14,14]",
     {.macs = 0, .flops = 87808}},
    {"f32[1,1,4,4], f32[0], f32[4]={1,1,0.6,0.6}",
     "mode=\"cubic\"",
     "f32[1,1,2,2]",
     {.macs = 0, .flops = 124},
     13},
    {"f32[1,1,3,4], _, _, i64[2]={7,8}", "axes=2,3 keep_aspect_ratio_policy=\"not_larger\"",
     "f32[1,1,6,8]"},
    {"f32[1,1,3,4], _, _, i64[2]={7,8}", "axes=2,3 keep_aspect_ratio_policy=\"not_smaller\"",
     "f32[1,1,7,9]"},
    {"f32[N,3,H,W], _, f32[2]={0.5,2}", "axes=2,3", "f32[N,3,⌊H/2⌋,2·W]"},
    {"f32[1,3,8,8], f32[4]={1,1,0.5,2}", "", "f32[1,3,4,16]", {}, 10},
};

constexpr Example kUpsample[] = {
    {"f32[1,1,2,2], f32[4]={1,1,2,3}", "", "f32[1,1,4,6]", {.macs = 0, .flops = 0}, 9},
    {"f32[1,1,2,2]",
     "scales=1f,1f,2f,3f mode=\"linear\"",
     "f32[1,1,4,6]",
     {.macs = 0, .flops = 168},
     7},
    {"f32[1,1,2,2]", "height_scale=2f width_scale=3f", "f32[1,1,4,6]", {}, 1},
};

constexpr VersionChange kOriginStated = {11, Rewrite::Resize};
constexpr VersionChange kBecameResize = {10, Rewrite::Resize};
constexpr AttributeName kResizeAttributes[] = {{Attr::Mode, "mode", 0, "nearest"}};

// Interpolation is done in float: ONNX Runtime has no int8 kernel that it would use.
Int8Use resize_int8(const NodeView& c) {
  const bool passes = c.text("mode", "nearest") == "nearest" &&
                      c.text("coordinate_transformation_mode", "") != "tf_crop_and_resize";
  return passes ? Int8Use::Passing : Int8Use::Soft;
}

constexpr OpRule kResizeRules[] = {
    {.name = "Resize",
     .since = 10,
     .shape = resize_shape,
     .cost = resize_cost,
     .examples = kResize,
     .settings = slots(1, 2, 3),
     .traits = {.kind = LayerKind::Upsample,
                .int8_of = resize_int8,
                .changed = &kOriginStated,
                .attributes = kResizeAttributes}},
    {.name = "Upsample",
     .shape = upsample_shape,
     .cost = resize_cost,
     .examples = kUpsample,
     .settings = slots(1),
     .until = 10,
     .traits = {.kind = LayerKind::Upsample,
                .int8 = Int8Use::None,
                .changed = &kBecameResize,
                .attributes = kResizeAttributes}},
};

}  // namespace

std::span<const OpRule> resize_rules() { return kResizeRules; }

}  // namespace strata
