// Classical machine learning: operators that prepare features and labels.
#include "ops/common.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {
namespace {

constexpr std::string_view kMl = "ai.onnx.ml";

Status shaped_like_input(ShapeContext& c, DType type) {
  TypeInfo like = c.in(0);
  like.dtype = type;
  c.set(0, std::move(like));
  return {};
}

Status reals_like_input(ShapeContext& c) { return shaped_like_input(c, DType::F32); }

// One element of the last axis per index.
Status array_feature_extractor(ShapeContext& c) {
  const Expr count = c.ranked(1) ? c.in_elements(1) : c.fresh("indices");
  if (!c.ranked(0)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  Dims dims = c.dims(0);
  if (dims.empty()) return c.error("its input must have an axis");
  if (dims.size() == 1)
    dims = {1, count};
  else
    dims.back() = count;
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void array_feature_extractor_cost(CostContext& c) {
  c.reads(bytes(c.out_elements(0), c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)));
}

// Strings become numbers and numbers become strings.
Status category_mapper(ShapeContext& c) {
  return shaped_like_input(c, c.dtype(0) == DType::String ? DType::I64 : DType::String);
}

Status label_encoder(ShapeContext& c) {
  if (c.opset() < 2 && c.has_attribute("classes_strings")) return category_mapper(c);
  if (const TensorData* values = c.tensor("values_tensor")) {
    return shaped_like_input(c, values->dtype);
  }
  if (c.has_attribute("values_strings")) return shaped_like_input(c, DType::String);
  if (c.has_attribute("values_int64s")) return shaped_like_input(c, DType::I64);
  if (c.has_attribute("values_floats")) return shaped_like_input(c, DType::F32);
  return c.error("it has no values to map to (one of the attributes `values_…` is needed)");
}

// A map's values in order of their keys: all that exist, or `max_map` of them.
Status cast_map(ShapeContext& c) {
  const std::string_view to = c.text("cast_to", "TO_FLOAT");
  const DType type = to == "TO_STRING" ? DType::String : to == "TO_INT64" ? DType::I64 : DType::F32;
  const bool sparse = c.text("map_form", "DENSE") == "SPARSE";
  const std::int64_t length = c.integer("max_map", 1);
  if (sparse && length < 0) return c.error("its attribute `max_map` is negative");
  c.set(0, type, {1, sparse ? Expr(length) : c.fresh("entries")});
  return {};
}

// For strings or integers: the length of whichever list is given.
std::int64_t count_of_either(const NodeView& c, std::string_view texts, std::string_view integers) {
  return static_cast<std::int64_t>(std::max(c.texts(texts).size(), c.integers(integers).size()));
}

Status dict_vectorizer(ShapeContext& c) {
  c.set(0, c.dtype(0), {1, count_of_either(c, "string_vocabulary", "int64_vocabulary")});
  return {};
}

// Puts rows side by side; a tensor with one axis is one row.
Status feature_vectorizer(ShapeContext& c) {
  const auto declared = c.integers("inputdimensions");
  Expr rows = Expr::unknown(), columns = 0;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    if (!c.ranked(i)) {
      const bool says = i < declared.size() && declared[i] >= 0;
      columns += says ? Expr(declared[i]) : Expr::unknown();
      continue;
    }
    if (c.rank(i) == 0 || c.rank(i) > 2) return c.error("its inputs must have one or two axes");
    const Expr these = c.rank(i) == 2 ? c.dims(i)[0] : Expr(1);
    if (clash(rows, these)) return c.error("its inputs have different numbers of rows");
    if (!rows.is_number()) rows = these;
    columns += c.dims(i).back();
  }
  if (rows.is_unknown()) rows = c.fresh("rows");
  if (columns.is_unknown()) columns = c.fresh("features");
  c.set(0, DType::F32, {rows, columns});
  return {};
}

Status one_hot_encoder(ShapeContext& c) {
  const std::int64_t categories = count_of_either(c, "cats_strings", "cats_int64s");
  if (categories == 0) return c.error("it has no categories (attribute `cats_…`)");
  if (!c.ranked(0)) {
    c.set_unranked(0, DType::F32);
    return {};
  }
  Dims dims = c.dims(0);
  dims.push_back(categories);
  c.set(0, DType::F32, std::move(dims));
  return {};
}

// A row is divided by its largest element, the sum of absolute values, or the root of the sum of
// squares.
void normalizer_cost(CostContext& c) {
  const std::string_view norm = c.text("norm", "MAX");
  if (norm == "L1") return work_per_output<2, 0, 1>(c);
  if (norm != "L2") return work_per_output<1, 0, 1>(c);
  work_per_output<1, 1, 1>(c);
  const TypeInfo& rows = c.in(0);
  c.specials({{"rows", rows.dims.size() == 1 ? Expr(1) : size_at(rows, 0)}, {"roots each", 1}});
}

Status zip_map(ShapeContext& c) {
  TypeInfo type;
  type.kind = ValueKind::SequenceOfMap;
  type.dtype = c.dtype(0);
  c.set(0, std::move(type));
  return {};
}

constexpr Example kExtractor[] = {
    {"f32[3,4], i64[1,2]", "", "f32[3,2]", {.macs = 0, .flops = 0}},
    {"f32[4], i64[2]", "", "f32[1,2]"},
};
constexpr Example kBinarizer[] = {{"f32[3,4]", "threshold=1.0f", "f32[3,4]", {.flops = 12}}};
constexpr Example kMapper[] = {
    {"string[3]", "", "i64[3]", {.flops = 0}},
    {"i64[3]", "", "string[3]"},
};
constexpr Example kLabelEncoder[] = {
    {"i64[3]", "keys_int64s=1,2 values_floats=0.5f,1.0f", "f32[3]", {.flops = 0}, 2},
    {"f32[3]", "values_int64s=1,2", "i64[3]", {}, 4},
};
constexpr Example kCastMap[] = {
    {"i64[1]", "map_form=\"SPARSE\" max_map=5", "f32[1,5]", {.flops = 0}},
};
constexpr Example kDictVectorizer[] = {{"f32[?]", "int64_vocabulary=3,5,7", "f32[1,3]"}};
constexpr Example kFeatureVectorizer[] = {
    {"f32[N,3], i64[N,2]", "inputdimensions=3,2", "f32[N,5]", {.flops = 0}},
    {"f32[3], f32[2]", "", "f32[1,5]"},
};
// A comparison and a choice for each element.
constexpr Example kImputer[] = {{"f32[3,4]", "", "f32[3,4]", {.flops = 24}}};
constexpr Example kNormalizer[] = {
    {"f64[3,4]", "norm=\"MAX\"", "f32[3,4]", {.flops = 24}},
    {"f32[3,4]", "norm=\"L1\"", "f32[3,4]", {.flops = 36}},
    {"f32[3,4]", "norm=\"L2\"", "f32[3,4]", {.flops = 36 + 3}},
};
constexpr Example kOneHotEncoder[] = {
    {"i64[N,2]", "cats_int64s=1,2,3", "f32[N,2,3]"},
};
// (x - offset)·scale
constexpr Example kScaler[] = {{"i64[3,4]", "", "f32[3,4]", {.flops = 24}}};
constexpr Example kZipMap[] = {{"f32[3,2]", "classlabels_int64s=0,1", "map", {.flops = 0}}};

constexpr OpRule kMlRules[] = {
    any_rank_in(kMl, "ArrayFeatureExtractor", 1, array_feature_extractor,
                array_feature_extractor_cost, kExtractor),
    any_rank_in(kMl, "Binarizer", 1, like_input, adds_per_output<1>, kBinarizer),
    any_rank_in(kMl, "CastMap", 1, cast_map, no_arithmetic, kCastMap),
    any_rank_in(kMl, "CategoryMapper", 1, category_mapper, no_arithmetic, kMapper),
    any_rank_in(kMl, "DictVectorizer", 1, dict_vectorizer, no_arithmetic, kDictVectorizer),
    any_rank_in(kMl, "FeatureVectorizer", 1, feature_vectorizer, no_arithmetic, kFeatureVectorizer),
    any_rank_in(kMl, "Imputer", 1, like_input, adds_per_output<2>, kImputer),
    any_rank_in(kMl, "LabelEncoder", 1, label_encoder, no_arithmetic, kLabelEncoder),
    any_rank_in(kMl, "Normalizer", 1, reals_like_input, normalizer_cost, kNormalizer),
    any_rank_in(kMl, "OneHotEncoder", 1, one_hot_encoder, no_arithmetic, kOneHotEncoder),
    any_rank_in(kMl, "Scaler", 1, reals_like_input, work_per_output<1, 1, 0>, kScaler),
    any_rank_in(kMl, "ZipMap", 1, zip_map, no_arithmetic, kZipMap),
};

}  // namespace

std::span<const OpRule> ml_rules() { return kMlRules; }

}  // namespace strata
