// Normalizations. With stored statistics, a normalization is a scale and a shift that can be
// computed beforehand: 2 operations per element. With statistics of its own input, an element costs
// 1 addition for the mean, 1 difference from it, 1 square, 1 addition for the variance and 1
// product with 1/σ. A set of elements that share statistics costs 2 divisions by their number, 1
// addition of epsilon, 1 root and 1 reciprocal.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

void standardize(CostContext& c, const Expr& count, const Expr& sets) {
  c.adds({{"elements", count}, {"mean, difference, variance", 3}});
  c.muls({{"elements", count}, {"square, scale", 2}});
  c.adds({{"sets, epsilon", sets}});
  c.specials({{"sets", sets}, {"two means, root, reciprocal", 4}});
}

void affine(CostContext& c, const Expr& count, bool shift) {
  c.muls({{"elements, weight", count}});
  if (shift) c.adds({{"elements, bias", count}});
}

// The type for mean and variance, from attribute stash_type.
Result<DType> stash_type(const ShapeContext& c) {
  const std::int64_t number = c.integer("stash_type", 1);
  if (const auto type = dtype_from_onnx(number)) return *type;
  return c.error(fmt::format("attribute stash_type is {}, which is not an element type", number));
}

// ---- BatchNormalization: X, scale, bias, mean, variance.

// True if it uses the statistics of the batch itself: an attribute since version 14; before that,
// if the statistics are used as outputs.
bool uses_batch_statistics(const NodeView& c) {
  return c.opset() >= 14 ? c.integer("training_mode", 0) != 0 : c.has_output(1);
}

Status batch_norm_shape(ShapeContext& c) {
  if (c.rank(0) == 0) return c.error("input is a scalar and has no channels");
  const Expr channels = c.rank(0) >= 2 ? c.dims(0)[1] : Expr(1);
  const bool per_channel = c.opset() >= 9 || c.integer("spatial", 1) != 0;
  for (std::size_t i = 1; i < 5 && per_channel; ++i)
    if (c.ranked(i) && c.rank(i) == 1 && clash(c.dims(i)[0], channels))
      return c.error(fmt::format("input {} has {} elements where the data has {} channels", i,
                                 c.dims(i)[0].text(), channels.text()));
  c.set(0, c.dtype(0), c.dims(0));
  // Statistics as outputs: 2 since version 14, 4 before.
  for (std::size_t i = 1; i < c.output_count() && i < 5; ++i)
    if (c.ranked(3)) c.set(i, c.dtype(3), c.dims(3));
  return {};
}

void batch_norm_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  if (!uses_batch_statistics(c)) {
    c.muls({{"elements, scale", count}});
    c.adds({{"elements, shift", count}});
    return;
  }
  const Expr channels = c.in_elements(3);
  standardize(c, count, channels);
  affine(c, count, true);
  // running = running·momentum + current·(1 - momentum), mean and variance
  c.muls({{"channels", channels}, {"running statistics", 4}});
  c.adds({{"channels", channels}, {"running statistics", 2}});
}

constexpr Example kBatchNorm[] = {
    {"f32[1,64,112,112], f32[64], f32[64], f32[64], f32[64]",
     "",
     "f32[1,64,112,112]",
     {.macs = 0, .flops = 1605632}},
    // 24 elements with 7 operations, 3 channels with 5 and 6.
    {"f32[2,3,4], f32[3], f32[3], f32[3], f32[3]",
     "training_mode=1",
     "f32[2,3,4], f32[3], f32[3]",
     {.macs = 0, .flops = 201}},
    {"f16[2,3,4], f16[3], f16[3], f32[3], f32[3]", "training_mode=1", "f16[2,3,4], f32[3], f32[3]"},
    {"f32[2,3,4], f32[3], f32[3], f32[3], f32[3]",
     "",
     "f32[2,3,4], f32[3], f32[3], f32[3], f32[3]",
     {.macs = 0, .flops = 201},
     9},
    {"f32[N,8,H,W], f32[8], f32[8], f32[8], f32[8]", "", "f32[N,8,H,W]"},
};

// ---- InstanceNormalization and GroupNormalization: X, scale, bias.

void instance_norm_cost(CostContext& c) {
  standardize(c, c.in_elements(0), product_of(c.in(0), 0, 2));
  affine(c, c.in_elements(0), true);
}

constexpr Example kInstanceNorm[] = {
    {"f32[2,3,4], f32[3], f32[3]", "", "f32[2,3,4]", {.macs = 0, .flops = 198}},
};

Status group_norm_shape(ShapeContext& c) {
  const std::int64_t groups = c.integer("num_groups", 0);
  if (groups < 1) return c.error("attribute num_groups is missing or below 1");
  if (c.rank(0) < 2) return c.error("input must have at least 2 axes, batch and channels");
  const Expr& channels = c.dims(0)[1];
  if (channels.is_number() && channels.value() % groups != 0)
    return c.error(
        fmt::format("{} channels cannot be split into {} groups", channels.text(), groups));
  return like_input(c);
}

void group_norm_cost(CostContext& c) {
  standardize(c, c.in_elements(0), size_at(c.in(0), 0) * c.integer("num_groups", 1));
  affine(c, c.in_elements(0), true);
}

constexpr Example kGroupNorm[] = {
    {"f32[2,4,3], f32[4], f32[4]", "num_groups=2", "f32[2,4,3]", {.macs = 0, .flops = 188}},
    // Version 18 has one scale and bias per group.
    {"f32[2,4,3], f32[2], f32[2]", "num_groups=2", "f32[2,4,3]", {.macs = 0, .flops = 188}, 18},
};

// ---- LayerNormalization and RMSNormalization: statistics over axes [axis, rank).

// The first axis of the set, or nullopt if it does not exist.
std::optional<std::size_t> first_axis(const NodeView& c) {
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  std::int64_t axis = c.integer("axis", -1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

Expr sets_of_layer(const NodeView& c) {
  const auto axis = first_axis(c);
  return axis ? product_of(c.in(0), 0, *axis) : Expr::unknown();
}

Status layer_norm_shape(ShapeContext& c) {
  const auto axis = first_axis(c);
  if (!axis)
    return c.error(fmt::format("axis {} does not exist in a tensor with {} axes",
                               c.integer("axis", -1), c.rank(0)));
  c.set(0, c.dtype(0), c.dims(0));
  if (!c.has_output(1) && !c.has_output(2)) return {};
  const auto type = stash_type(c);
  if (!type) return failure(type);
  Dims statistics = c.dims(0);
  for (std::size_t i = *axis; i < statistics.size(); ++i) statistics[i] = 1;
  c.set(1, *type, statistics);
  c.set(2, *type, std::move(statistics));
  return {};
}

void layer_norm_cost(CostContext& c) {
  standardize(c, c.in_elements(0), sets_of_layer(c));
  affine(c, c.in_elements(0), c.has(2));
}

constexpr Example kLayerNorm[] = {
    // 98304 elements with 7 operations, 128 rows with 5.
    {"f32[1,128,768], f32[768], f32[768]", "", "f32[1,128,768]", {.macs = 0, .flops = 688768}},
    {"f16[2,3,5], f16[3,5]",
     "axis=1",
     "f16[2,3,5], f32[2,1,1], f32[2,1,1]",
     {.macs = 0, .flops = 190}},
};

Status rms_norm_shape(ShapeContext& c) {
  if (!first_axis(c))
    return c.error(fmt::format("axis {} does not exist in a tensor with {} axes",
                               c.integer("axis", -1), c.rank(0)));
  // The output has the type of the scale.
  c.set(0, c.has(1) ? c.dtype(1) : c.dtype(0), c.dims(0));
  return {};
}

// There is no mean to subtract.
void rms_norm_cost(CostContext& c) {
  const Expr count = c.in_elements(0), sets = sets_of_layer(c);
  c.adds({{"elements, mean square", count}});
  c.muls({{"elements", count}, {"square, scale", 2}});
  c.adds({{"sets, epsilon", sets}});
  c.specials({{"sets", sets}, {"mean, root, reciprocal", 3}});
  affine(c, count, false);
}

constexpr Example kRmsNorm[] = {
    {"f32[2,8], f32[8]", "", "f32[2,8]", {.macs = 0, .flops = 72}},
    {"f16[N,S,64], f32[64]", "", "f32[N,S,64]"},
};

// ---- Others.

// x / (bias + alpha/size · Σ x²)^beta over `size` neighbouring channels.
void lrn_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  c.muls({{"elements", count}, {"square, alpha/size", 2}});
  c.adds({{"elements", count}, {"channels summed, with bias", c.integer("size", 1)}});
  c.specials({{"elements", count}, {"power, quotient", 2}});
}

constexpr Example kLrn[] = {
    {"f32[1,5,2,2]", "size=3", "f32[1,5,2,2]", {.macs = 0, .flops = 140}},
};

Status lp_norm_shape(ShapeContext& c) {
  if (auto axis = c.axis(c.integer("axis", -1), c.rank(0)); !axis) return failure(axis);
  return like_input(c);
}

// x / (Σ |x|^p)^(1/p) along one axis; p is 1 or 2.
void lp_norm_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  const std::int64_t axis = c.integer("axis", -1);
  const Expr length = size_at(c.in(0), static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  const Expr sets = floor_div(count, length);
  c.adds({{"elements, sum", count}});
  c.specials({{"elements, quotient", count}});
  if (c.integer("p", 2) == 1) {
    c.adds({{"elements, absolute value", count}});
  } else {
    c.muls({{"elements, square", count}});
    c.specials({{"sets, root", sets}});
  }
}

constexpr Example kLpNorm[] = {
    {"f32[2,4]", "", "f32[2,4]", {.macs = 0, .flops = 26}},
    {"f32[2,4]", "p=1 axis=0", "f32[2,4]", {.macs = 0, .flops = 24}},
};

// Statistics over attribute axes; the default is batch and space.
void mean_variance_cost(CostContext& c) {
  constexpr std::int64_t kBatchAndSpace[] = {0, 2, 3};
  const auto given = c.integers("axes");
  const std::span<const std::int64_t> axes = given.empty() ? kBatchAndSpace : given;
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  InlineVector<bool, 8> reduced(c.rank(0));
  for (std::int64_t axis : axes) {
    if (axis < 0) axis += rank;
    if (axis >= 0 && axis < rank) reduced[static_cast<std::size_t>(axis)] = true;
  }
  Expr sets = c.ranked(0) ? 1 : Expr::unknown();
  for (std::size_t i = 0; i < reduced.size(); ++i)
    if (!reduced[i]) sets *= c.dims(0)[i];
  standardize(c, c.in_elements(0), sets);
}

constexpr Example kMeanVariance[] = {
    {"f32[2,3,2,2]", "", "f32[2,3,2,2]", {.macs = 0, .flops = 135}},
};

constexpr VersionChange kSpatialWent = {9, Rewrite::Norm};
constexpr AttributeName kBatchNormAttributes[] = {
    {Attr::Epsilon, "epsilon", 1e-5F},
    {Attr::Training, "training_mode"},
};

constexpr OpRule kNormRules[] = {
    {.name = "BatchNormalization",
     .shape = batch_norm_shape,
     .cost = batch_norm_cost,
     .examples = kBatchNorm,
     .buffers = slots(3, 4),
     .traits = {.kind = LayerKind::BatchNorm,
                .norm = {Normalizes::ByStatistics, 1, 2, 3, 4},
                .int8 = Int8Use::Soft,
                .changed = &kSpatialWent,
                .attributes = kBatchNormAttributes}},
    {.name = "InstanceNormalization",
     .shape = like_input,
     .cost = instance_norm_cost,
     .examples = kInstanceNorm,
     .traits = {.op = Op::InstanceNorm,
                .kind = LayerKind::InstanceNorm,
                .norm = {Normalizes::ByInput, 1, 2}}},
    {.name = "GroupNormalization",
     .since = 18,
     .shape = group_norm_shape,
     .cost = group_norm_cost,
     .examples = kGroupNorm,
     .traits = {.kind = LayerKind::GroupNorm, .norm = {Normalizes::ByInput, 1, 2}}},
    {.name = "LayerNormalization",
     .since = 17,
     .shape = layer_norm_shape,
     .cost = layer_norm_cost,
     .examples = kLayerNorm,
     .traits = {.kind = LayerKind::LayerNorm, .norm = {Normalizes::ByInput, 1, 2}}},
    {.name = "RMSNormalization",
     .since = 23,
     .shape = rms_norm_shape,
     .cost = rms_norm_cost,
     .examples = kRmsNorm,
     .traits = {.kind = LayerKind::Other, .norm = {Normalizes::ByInput, 1}}},
    {.name = "LRN",
     .shape = like_input,
     .cost = lrn_cost,
     .examples = kLrn,
     .traits = {.kind = LayerKind::Other, .norm = {Normalizes::Otherwise}}},
    {.name = "LpNormalization",
     .shape = lp_norm_shape,
     .cost = lp_norm_cost,
     .examples = kLpNorm,
     .traits = {.kind = LayerKind::Other, .norm = {Normalizes::Otherwise}}},
    {.name = "MeanVarianceNormalization",
     .since = 9,
     .shape = like_input,
     .cost = mean_variance_cost,
     .examples = kMeanVariance,
     .traits = {.kind = LayerKind::Other, .norm = {Normalizes::ByInput}}},
};

}  // namespace

std::span<const OpRule> norm_rules() { return kNormRules; }

}  // namespace strata
