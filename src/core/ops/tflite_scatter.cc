// Operators of TFLite that put elements into places that other inputs name, look for elements, or
// sum segments; and lookup tables.
#include <algorithm>

#include "ops/registry.h"
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// The output's sizes are an input.
template <std::size_t sizes, std::size_t values>
Status sizes_shape(ShapeContext& c) {
  auto dims = dims_from_input(c, sizes, "size");
  if (!dims) return failure(dims);
  if (*dims)
    c.set(0, c.dtype(values), std::move(**dims));
  else
    c.set_unranked(0, c.dtype(values));
  return {};
}

// Elements that are scattered to one place are added.
void scattered_cost(CostContext& c) { c.adds({{"updates", c.in_elements(1)}}); }

// Places of the elements that are true, one row each.
Status tflite_where_shape(ShapeContext& c) {
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  c.set(0, DType::I64, {c.fresh("true", c.in_elements(0)), rank});
  return {};
}
void per_input(CostContext& c) { c.adds({{"inputs", c.in_elements(0)}}); }

// Indices, depth, and two values; the new axis is the last if the attribute says -1.
Status tflite_one_hot_shape(ShapeContext& c) {
  const std::int64_t stated = c.integer("axis", -1);
  const auto place = c.axis(stated, c.rank(0) + 1);
  if (!place) return failure(place);
  const auto depth = c.scalar_of(1);
  Dims dims;
  for (std::size_t i = 0; i <= c.rank(0); ++i) {
    if (i == *place) dims.push_back(depth && !depth->is_unknown() ? *depth : c.fresh("depth"));
    if (i < c.rank(0)) dims.push_back(c.dims(0)[i]);
  }
  c.set(0, c.dtype(2), std::move(dims));
  return {};
}

Status tflite_unique_shape(ShapeContext& c) {
  constexpr std::int64_t kInt64 = 4;  // in TFLite's numbers
  c.set(0, c.dtype(0), {c.fresh("unique", c.in_elements(0))});
  c.set(1, c.integer("idx_out_type", 2) == kInt64 ? DType::I64 : DType::I32, c.dims(0));
  return {};
}

// Rows whose segments are numbered in order by the second input.
Status segments_shape(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs an axis");
  Dims dims = c.dims(0);
  const auto numbers = c.integers_of(1);
  dims[0] = numbers && !numbers->empty() && numbers->back().is_number()
                ? Expr(numbers->back().value() + 1)
                : c.fresh("segments", c.dims(0)[0]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
// The third input says how many segments there are; the second has the leading axes of the first.
Status unsorted_segments_shape(ShapeContext& c) {
  if (c.rank(1) > c.rank(0)) return c.error("its segments have more axes than its input");
  const auto count = c.scalar_of(2);
  Dims dims = {count && !count->is_unknown() ? *count : c.fresh("segments")};
  for (std::size_t i = c.rank(1); i < c.rank(0); ++i) dims.push_back(c.dims(0)[i]);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Two lists of sizes: those of their broadcast.
Status broadcast_args_shape(ShapeContext& c) {
  const auto a = c.integers_of(0), b = c.integers_of(1);
  if (a && b) {
    auto dims = c.broadcast(*a, *b);
    if (!dims) return failure(dims);
    c.set_value(0, vector_value(c.dtype(0), *dims));
    return {};
  }
  if (c.rank(0) != 1 || c.rank(1) != 1) return c.error("its inputs are lists of sizes");
  const Expr one = c.dims(0)[0], other = c.dims(1)[0];
  c.set(0, c.dtype(0),
        {one.is_number() && other.is_number() ? Expr(std::max(one.value(), other.value()))
                                              : c.fresh("axes")});
  return {};
}

// Boxes (B, 4) and scores (B) of one image and one class, the most to keep, and two limits. With
// padding, as many are returned.
template <bool soft>
Status tflite_suppression_shape(ShapeContext& c) {
  const auto most = c.scalar_of(2);
  const Expr kept = most && !most->is_unknown() ? *most : c.fresh("boxes", size_at(c.in(0), 0));
  c.set(0, DType::I32, {kept});
  if (soft) c.set(1, c.dtype(1), {kept});
  c.set(soft ? 2 : 1, DType::I32, Dims{});
  return {};
}
void tflite_suppression_cost(CostContext& c) {
  c.adds({{"scores", c.in_elements(1)}});
  c.at_least("how many boxes are compared depends on the data");
}

void bucket_cost(CostContext& c) {
  c.adds({{"outputs, comparisons", c.out_elements(0)}});
  c.at_least("a search is counted as one comparison per value; it needs more");
}
Status as_int32(ShapeContext& c) {
  c.set(0, TypeInfo::tensor(DType::I32, c.dims(0)));
  return {};
}
Status table_size_shape(ShapeContext& c) {
  c.set(0, DType::I64, {1});
  return {};
}
// The table's handle, keys, and the value of keys that it does not have.
Status table_find_shape(ShapeContext& c) {
  c.set(0, TypeInfo::tensor(c.dtype(2), c.dims(1)));
  return {};
}

constexpr Example kTfliteScatter[] = {
    {"i32[4,1], f32[4,3], i32[2]={9,3}", "", "f32[9,3]", {.macs = 0, .flops = 12}}};
constexpr Example kTfliteSparse[] = {
    {"i32[3], i32[1]={9}, f32[3], f32[]", "", "f32[9]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteUpdate[] = {
    {"f32[4,8], f32[2,3], i32[2]", "", "f32[4,8]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteWhere[] = {{"bool[4,8]", "", "i64[true,2]", {.macs = 0, .flops = 32}}};
constexpr Example kTfliteOneHot[] = {
    {"i32[4], i32[]={7}, f32[], f32[]", "axis=-1", "f32[4,7]", {.macs = 0, .flops = 0}},
    {"i32[4,5], i32[]={7}, f32[], f32[]", "axis=1", "f32[4,7,5]"}};
constexpr Example kTfliteUnique[] = {
    {"i32[6]", "idx_out_type=2", "i32[unique], i32[6]", {.macs = 0, .flops = 6}}};
constexpr Example kTfliteSegments[] = {
    {"f32[6,3], i32[6]={0,0,1,1,2,2}", "", "f32[3,3]", {.macs = 0, .flops = 18}},
    {"f32[6,3], i32[6]", "", "f32[segments,3]"}};
constexpr Example kTfliteUnsorted[] = {
    {"f32[6,3], i32[6], i32[]={4}", "", "f32[4,3]", {.macs = 0, .flops = 18}}};
constexpr Example kTfliteBroadcastArgs[] = {
    {"i32[2]={3,1}, i32[1]={5}", "", "i32[2]={3,5}", {.macs = 0, .flops = 0}},
    {"i32[3], i32[2]", "", "i32[3]"}};
constexpr Example kTfliteSuppression4[] = {
    {"f32[20,4], f32[20], i32[]={5}, f32[], f32[]", "", "i32[5], i32[]", {.macs = 0}}};
constexpr Example kTfliteSuppression5[] = {{"f32[20,4], f32[20], i32[]={5}, f32[], f32[], f32[]",
                                            "",
                                            "i32[5], f32[5], i32[]",
                                            {.macs = 0}}};
constexpr Example kTfliteBuckets[] = {{"f32[4]", "", "i32[4]", {.macs = 0, .flops = 4}}};
constexpr Example kTfliteTable[] = {{"", "", "i32[1]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteTableSize[] = {{"i32[1]", "", "i64[1]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteFind[] = {
    {"i32[1], i64[3], f32[]", "", "f32[3]", {.macs = 0, .flops = 0}}};
constexpr Example kTfliteImport[] = {{"i32[1], i64[3], f32[3]", "", "", {.macs = 0, .flops = 0}}};

constexpr OpRule kTfliteScatterRules[] = {
    with_settings(tflite("SCATTER_ND", "", sizes_shape<2, 1>, scattered_cost, kTfliteScatter),
                  slots(0, 2)),
    with_settings(tflite("SPARSE_TO_DENSE", "", sizes_shape<1, 2>, no_arithmetic, kTfliteSparse),
                  slots(0, 1, 3)),
    with_settings(tflite("DYNAMIC_UPDATE_SLICE", "", like_input, no_arithmetic, kTfliteUpdate),
                  slots(2)),
    tflite("WHERE", "", tflite_where_shape, per_input, kTfliteWhere),
    with_settings(tflite("ONE_HOT", "", tflite_one_hot_shape, no_arithmetic, kTfliteOneHot),
                  slots(0, 1, 2, 3)),
    tflite("UNIQUE", "", tflite_unique_shape, per_input, kTfliteUnique),
    with_settings(tflite("SEGMENT_SUM", "", segments_shape, per_input, kTfliteSegments), slots(1)),
    with_settings(
        tflite("UNSORTED_SEGMENT_SUM", "", unsorted_segments_shape, per_input, kTfliteUnsorted),
        slots(1, 2)),
    with_settings(
        tflite("UNSORTED_SEGMENT_MAX", "", unsorted_segments_shape, per_input, kTfliteUnsorted),
        slots(1, 2)),
    with_settings(
        tflite("UNSORTED_SEGMENT_MIN", "", unsorted_segments_shape, per_input, kTfliteUnsorted),
        slots(1, 2)),
    with_settings(
        tflite("UNSORTED_SEGMENT_PROD", "", unsorted_segments_shape, per_input, kTfliteUnsorted),
        slots(1, 2)),
    with_settings(
        tflite("BROADCAST_ARGS", "", broadcast_args_shape, no_arithmetic, kTfliteBroadcastArgs),
        slots(0, 1)),
    with_settings(tflite("NON_MAX_SUPPRESSION_V4", "", tflite_suppression_shape<false>,
                         tflite_suppression_cost, kTfliteSuppression4),
                  slots(2, 3, 4)),
    with_settings(tflite("NON_MAX_SUPPRESSION_V5", "", tflite_suppression_shape<true>,
                         tflite_suppression_cost, kTfliteSuppression5),
                  slots(2, 3, 4, 5)),
    tflite("BUCKETIZE", "", as_int32, bucket_cost, kTfliteBuckets),
    tflite("HASHTABLE", "", nullptr, no_arithmetic, kTfliteTable),
    with_settings(tflite("HASHTABLE_FIND", "", table_find_shape, no_arithmetic, kTfliteFind),
                  slots(1, 2)),
    with_settings(tflite("HASHTABLE_IMPORT", "", nullptr, no_arithmetic, kTfliteImport),
                  slots(1, 2)),
    tflite("HASHTABLE_SIZE", "", table_size_shape, no_arithmetic, kTfliteTableSize),
};

}  // namespace

std::span<const OpRule> tflite_scatter_rules() { return kTfliteScatterRules; }

}  // namespace strata
