// Operators of TFLite that look up, search, or make values.
#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

Recast gathered(const NodeView& c) {
  Recast other{"Gather"};
  other.inputs = {input_of(c, 0), input_of(c, 1)};
  other.attributes = {{"axis", c.integer("axis", 0)}};
  return other;
}
Status tflite_gather_shape(ShapeContext& c) {
  if (c.integer("batch_dims", 0) == 0) return shape_as(c, gathered(c));
  c.set_unranked(0, c.dtype(0));
  return {};
}
// Rows of the second input.
Recast looked_up(const NodeView& c) {
  Recast other{"Gather"};
  other.inputs = {input_of(c, 1), input_of(c, 0)};
  return other;
}

Status tflite_shape_shape(ShapeContext& c) {
  const DType type = c.integer("out_type", 2) == 4 ? DType::I64 : DType::I32;
  const Dims dims = c.dims(0);
  c.set_value(0, vector_value(type, dims));
  return {};
}
Status tflite_rank_shape(ShapeContext& c) {
  c.set_value(0, scalar_value(DType::I32, Expr(static_cast<std::int64_t>(c.rank(0)))));
  return {};
}

Status tflite_fill_shape(ShapeContext& c) {
  auto dims = dims_from_input(c, 0, "size");
  if (!dims) return failure(dims);
  if (*dims)
    c.set(0, c.dtype(1), std::move(**dims));
  else
    c.set_unranked(0, c.dtype(1));
  return {};
}

// The greatest k along the last axis, and their places.
Status tflite_top_k_shape(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs an axis");
  const auto k = c.scalar_of(1);
  Dims dims = c.dims(0);
  dims[dims.size() - 1] = k && !k->is_unknown() ? *k : c.fresh("k");
  c.set(1, DType::I32, dims);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
void tflite_top_k_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}});
  c.at_least("a search is counted as one comparison per element; a sort needs more");
}

// The first input has the sizes.
Status random_shape(ShapeContext& c) {
  auto dims = dims_from_input(c, 0, "size");
  if (!dims) return failure(dims);
  const DType type = stated_dtype(c, DType::F32);
  if (*dims)
    c.set(0, type, std::move(**dims));
  else
    c.set_unranked(0, type);
  return {};
}
// Logarithms of chances (batch, classes), and how many classes to draw.
Status multinomial_shape(ShapeContext& c) {
  const auto count = c.scalar_of(1);
  const Expr drawn = count && !count->is_unknown() ? *count : c.fresh("samples");
  c.set(0, c.integer("dtype", 0) == static_cast<std::int64_t>(DType::I32) ? DType::I32 : DType::I64,
        {size_at(c.in(0), 0), drawn});
  return {};
}
void multinomial_cost(CostContext& c) {
  c.specials({{"chances", c.in_elements(0)}});
  c.adds({{"chances", c.in_elements(0)}});
  c.at_least("a search is counted as one comparison per element");
}

constexpr Example kTfliteRandom[] = {{"i32[2]={3,4}", "", "f32[3,4]", {.macs = 0}}};
constexpr Example kTfliteMultinomial[] = {{"f32[2,5], i32[]={3}", "", "i64[2,3]", {.macs = 0}}};
constexpr Example kTfliteGather[] = {
    {"f32[5,8], i32[3]", "axis=0 batch_dims=0", "f32[3,8]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteGatherNd[] = {
    {"f32[5,8], i32[3,1]", "", "f32[3,8]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteLookup[] = {
    {"i32[3], f32[100,8]", "", "f32[3,8]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteShape[] = {
    {"f32[N,8]", "out_type=2", "i32[2]={N,8}", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteRank[] = {{"f32[N,8]", "", "i32[]={2}", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteRange[] = {
    {"i32[]={0}, i32[]={5}, i32[]={1}", "", "i32[5]={0,1,2,3,4}", {.macs = 0}}};
constexpr Example kTfliteFill[] = {
    {"i32[2]={2,3}, f32[]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteZeros[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteTopK[] = {
    {"f32[2,8], i32[]={3}", "", "f32[2,3], i32[2,3]", {.macs = 0, .flops = 16}}};

constexpr OpRule kTfliteGatherRules[] = {
    tflite("GATHER", "Gather", tflite_gather_shape, cost_of<gathered>, kTfliteGather),
    tflite_same<"GatherND">("GATHER_ND", kTfliteGatherNd),
    tflite_as<"Gather", looked_up>("EMBEDDING_LOOKUP", kTfliteLookup, {.weights = 1}),
    tflite("SHAPE", "Shape", tflite_shape_shape, view_of_input, kTfliteShape),
    tflite("RANK", "", tflite_rank_shape, view_of_input, kTfliteRank),
    with_settings(tflite_same<"Range">("RANGE", kTfliteRange), slots(0, 1, 2)),
    with_settings(tflite("FILL", "", tflite_fill_shape, no_arithmetic, kTfliteFill), slots(0, 1)),
    with_settings(tflite("RANDOM_UNIFORM", "", random_shape, specials_per_output<1>, kTfliteRandom,
                         {.random = true}),
                  slots(0)),
    with_settings(tflite("RANDOM_STANDARD_NORMAL", "", random_shape, specials_per_output<1>,
                         kTfliteRandom, {.random = true}),
                  slots(0)),
    with_settings(tflite("MULTINOMIAL", "", multinomial_shape, multinomial_cost, kTfliteMultinomial,
                         {.random = true}),
                  slots(1)),
    tflite("ZEROS_LIKE", "", like_input, no_arithmetic, kTfliteZeros),
    with_settings(tflite("TOPK_V2", "TopK", tflite_top_k_shape, tflite_top_k_cost, kTfliteTopK),
                  slots(1)),
};

}  // namespace

std::span<const OpRule> tflite_gather_rules() { return kTfliteGatherRules; }

}  // namespace strata
