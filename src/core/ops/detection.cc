#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/suppression.h"

namespace strata {

namespace {

// ---- NonMaxSuppression: boxes (N, B, 4), scores (N, C, B), and three limits.

std::optional<std::vector<double>> reals_of(ShapeContext& c, std::size_t slot) {
  const Value* value = c.value(slot);
  if (value == nullptr) return std::nullopt;
  std::vector<double> numbers;
  numbers.reserve(value->size());
  for (const Scalar& item : value->items) {
    const auto number = item.number();
    if (!number || std::isnan(*number)) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// An optional input with one number.
std::optional<double> limit(ShapeContext& c, std::size_t slot, double otherwise) {
  if (!c.has(slot)) return otherwise;
  const auto number = reals_of(c, slot);
  return number && number->size() == 1 ? std::optional(number->front()) : std::nullopt;
}

// The boxes that are kept, if all inputs are known.
std::optional<Value> kept_boxes(ShapeContext& c) {
  if (!c.has_value(0) || !c.has_value(1)) return std::nullopt;
  const auto boxes = known_dims(c.dims(0)), scores = known_dims(c.dims(1));
  const auto most = limit(c, 2, 0), overlap = limit(c, 3, 0), least = limit(c, 4, 0);
  if (!boxes || !scores || !most || !overlap || !least) return std::nullopt;
  const auto corners = reals_of(c, 0), numbers = reals_of(c, 1);
  if (!corners || !numbers) return std::nullopt;
  const Suppression input{.batches = static_cast<std::size_t>((*boxes)[0]),
                          .classes = static_cast<std::size_t>((*scores)[1]),
                          .boxes = static_cast<std::size_t>((*boxes)[1]),
                          .corners = *corners,
                          .scores = *numbers,
                          .centered = c.integer("center_point_box", 0) != 0,
                          .most = static_cast<std::int64_t>(std::min(*most, 1e15)),
                          .overlap = *overlap,
                          .least_score = *least,
                          .has_least_score = c.has(4)};
  const bool fits = corners->size() == input.batches * input.boxes * 4 &&
                    numbers->size() == input.batches * input.classes * input.boxes;
  if (!fits) return std::nullopt;
  const auto kept = suppress(input);
  if (kept.size() * 3 > static_cast<std::size_t>(kMaxValueElements)) return std::nullopt;
  Value value{DType::I64, {static_cast<std::int64_t>(kept.size()), 3}, {}};
  for (const auto& row : kept)
    for (const std::int64_t number : row) value.items.emplace_back(number);
  return value;
}

Status suppression_shape(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(1) != 3 || clash(c.dims(0)[2], 4) ||
      clash(c.dims(0)[0], c.dims(1)[0]) || clash(c.dims(0)[1], c.dims(1)[2]))
    return c.error(fmt::format("boxes {} and scores {} must be N×B×4 and N×C×B",
                               strata::text(c.dims(0)), strata::text(c.dims(1))));
  const auto most = limit(c, 2, 0);
  if (most && *most <= 0) {  // also if the limit is left out: nothing is kept
    c.set(0, DType::I64, {0, 3});
  } else if (auto kept = kept_boxes(c)) {
    c.set_value(0, std::move(*kept));
  } else {
    Expr each = c.dims(0)[1];  // of each class in each image
    if (most) each = min(each, Expr(static_cast<std::int64_t>(std::min(*most, 1e15))));
    c.set(0, DType::I64, {c.fresh("boxes", c.dims(1)[0] * c.dims(1)[1] * each), 3});
  }
  return {};
}

void suppression_cost(CostContext& c) {
  c.adds({{"scores, compared with the threshold", c.in_elements(1)}});
  c.at_least("how many boxes are sorted and compared depends on the data");
}

constexpr Example kSuppression[] = {
    // Boxes 0 and 1 are the same; box 2 lies apart.
    {"f32[1,3,4]={0,0,1,1,0,0,1,1,0,10,1,11}, f32[1,1,3]={0.9,0.75,0.6}, i64[1]={3}, "
     "f32[1]={0.5}, f32[1]={0}",
     "",
     "i64[2,3]={0,0,0,0,0,2}",
     {.macs = 0, .flops = 3}},
    {"f32[1,6,4], f32[1,2,6]", "", "i64[0,3]"},
    {"f32[1,6,4], f32[1,2,6], i64[]={3}", "", "i64[boxes,3]"},
};

// ---- Regions of an image.

Expr rows_of(const TypeInfo& regions) { return size_at(regions, 0); }

// X (N, C, H, W), regions (R, 4), their images (R).
Status roi_align_shape(ShapeContext& c) {
  if (c.rank(0) != 4 || c.rank(1) != 2)
    return c.error(fmt::format("data {} must have 4 axes and regions {} must have 2",
                               strata::text(c.dims(0)), strata::text(c.dims(1))));
  const std::int64_t height = c.integer("output_height", 1), width = c.integer("output_width", 1);
  if (height < 0 || width < 0)
    return c.error("attribute output_height or output_width is negative");
  c.set(0, c.dtype(0), {rows_of(c.in(1)), c.dims(0)[1], height, width});
  return {};
}

// Each output is the mean or maximum of samples, and each sample interpolates 4 neighbours. Without
// attribute sampling_ratio, their number depends on the region; it is at least one.
void roi_align_cost(CostContext& c) {
  const std::int64_t ratio = c.integer("sampling_ratio", 0);
  const Expr samples = ratio > 0 ? Expr(ratio) * ratio : Expr(1);
  const Expr outputs = c.out_elements(0);
  c.muls({{"outputs", outputs}, {"samples", samples}, {"neighbours", 4}});
  c.adds({{"outputs", outputs}, {"samples", samples}, {"neighbours less 1", 3}});
  c.adds({{"outputs", outputs}, {"samples less 1", samples - 1}});
  if (c.text("mode", "avg") != "max") c.specials({{"means, one an output", outputs}});
  if (ratio <= 0) c.at_least("how many samples a region takes depends on its size");
}

constexpr Example kRoiAlign[] = {
    // 3·2·25 outputs of 4 samples: 16 products, 12 + 3 additions, 1 division.
    {"f32[1,2,10,10], f32[3,4], i64[3]",
     "output_height=5 output_width=5 sampling_ratio=2",
     "f32[3,2,5,5]",
     {.macs = 0, .flops = 4800}},
    {"f32[N,C,H,W], f32[R,4], i64[R]", "output_height=7 output_width=7", "f32[R,C,7,7]"},
};

// X (N, C, H, W) and regions (R, 5).
Status max_roi_pool_shape(ShapeContext& c) {
  const auto pooled = c.integers("pooled_shape");
  if (c.rank(0) != 4 || c.rank(1) != 2 || pooled.size() != 2)
    return c.error(fmt::format(
        "data {} must have 4 axes, regions {} must have 2, attribute pooled_shape 2 items",
        strata::text(c.dims(0)), strata::text(c.dims(1))));
  if (pooled[0] < 0 || pooled[1] < 0) return c.error("attribute pooled_shape has a negative size");
  c.set(0, c.dtype(0), {rows_of(c.in(1)), c.dims(0)[1], pooled[0], pooled[1]});
  return {};
}

void max_roi_pool_cost(CostContext& c) {
  c.at_least("how many elements are compared depends on the regions");
}

constexpr Example kMaxRoiPool[] = {
    {"f32[1,3,20,20], f32[4,5]", "pooled_shape=2,3", "f32[4,3,2,3]"},
};

// ---- ImageDecoder: the bytes of a file.

Status image_shape(ShapeContext& c) {
  const bool gray = c.text("pixel_format", "RGB") == "Grayscale";
  c.set(0, DType::U8, {c.fresh("height"), c.fresh("width"), gray ? 1 : 3});
  return {};
}

constexpr Example kImage[] = {
    {"u8[B]", "", "u8[height,width,3]"},
    {"u8[B]", "pixel_format=\"Grayscale\"", "u8[height,width,1]"},
};

void image_cost(CostContext& c) { c.cannot_tell("decoding depends on the image and its format"); }

constexpr OpRule kDetectionRules[] = {
    {.name = "NonMaxSuppression",
     .since = 10,
     .shape = suppression_shape,
     .cost = suppression_cost,
     .examples = kSuppression,
     .settings = slots(2, 3, 4)},
    {.name = "RoiAlign",
     .since = 10,
     .shape = roi_align_shape,
     .cost = roi_align_cost,
     .examples = kRoiAlign},
    {.name = "MaxRoiPool",
     .shape = max_roi_pool_shape,
     .cost = max_roi_pool_cost,
     .examples = kMaxRoiPool},
    {.name = "ImageDecoder",
     .since = 20,
     .shape = image_shape,
     .cost = image_cost,
     .examples = kImage},
};

}  // namespace

std::span<const OpRule> detection_rules() { return kDetectionRules; }

}  // namespace strata
