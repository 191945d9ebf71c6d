// Operators that look for elements and their places: TopK, NonZero, Unique. The sizes of their
// outputs are known only if the elements are.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"

namespace strata {

namespace {

Status top_k_shape(ShapeContext& c) {
  const auto axis = c.axis(c.integer("axis", -1), c.rank(0));
  if (!axis) return failure(axis);
  // An attribute before version 10.
  Expr k = Expr::unknown();
  if (c.has(1))
    k = c.scalar_of(1).value_or(Expr::unknown());
  else if (const auto attribute = c.integer("k"))
    k = *attribute;
  Dims dims = c.dims(0);
  if (k.is_number() &&
      (k.value() < 0 || (dims[*axis].is_number() && k.value() > dims[*axis].value()))) {
    return c.error(fmt::format("the {} greatest of axis {} of {} do not exist", k.text(), *axis,
                               strata::text(dims)));
  }
  dims[*axis] = known_or_fresh(c, k, "k");
  c.set(0, c.dtype(0), dims);
  c.set(1, DType::I64, std::move(dims));
  return {};
}

void top_k_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
  c.at_least("TopK is counted as one comparison per element; a sort needs more");
}

// True if the tensor was made by ConstantOfShape from a value other than 0, whatever its size.
bool filled_with_nonzero(const ShapeContext& c) {
  const Tensor& input = c.graph().tensors[c.node().inputs[0]];
  if (input.producer == kNone || input.producer >= c.graph().nodes.size()) return false;
  const Node& producer = c.graph().nodes[input.producer];
  if (producer.op != "ConstantOfShape") return false;
  const Attribute* fill = producer.attribute("value");
  if (fill == nullptr) return false;  // the default is 0
  const auto* data = std::get_if<const TensorData*>(&fill->value);
  const auto value = data != nullptr && *data != nullptr ? decode(**data) : std::nullopt;
  if (!value || value->size() != 1) return false;
  const auto number = exact_number(value->items[0]);
  return number && *number != 0;
}

Status non_zero_shape(ShapeContext& c) {
  const std::size_t rank = c.rank(0);
  const Expr rows(static_cast<std::int64_t>(rank));
  const Value* value = elements_of(c, 0);
  if (value == nullptr) {
    const bool all = c.has(0) && filled_with_nonzero(c);
    const Expr most = c.in_elements(0);
    c.set(0, DType::I64, {rows, all && !most.is_unknown() ? most : c.fresh("nonzero", most)});
    return {};
  }
  std::vector<std::int64_t> found;
  for (std::size_t i = 0; i < value->size(); ++i) {
    const Scalar& item = value->items[i];
    const auto number = exact_number(item);
    const bool positive = !number && provably_at_least(item.whole(), 1);
    if (!number && !positive) {
      c.set(0, DType::I64, {rows, c.fresh("nonzero", c.in_elements(0))});
      return {};
    }
    if (positive || *number != 0) found.push_back(static_cast<std::int64_t>(i));
  }
  const auto count = static_cast<std::int64_t>(found.size());
  const ValueDims strides = strides_of(value->dims);
  ValueDims dims{static_cast<std::int64_t>(rank), count};
  if (!small_count(dims)) {
    c.set(0, DType::I64, {rows, count});
    return {};
  }
  c.set_value(0, filled(DType::I64, dims, [&](std::span<const std::int64_t> index) {
                const auto axis = static_cast<std::size_t>(index[0]);
                return Scalar(found[static_cast<std::size_t>(index[1])] / strides[axis] %
                              value->dims[axis]);
              }));
  return {};
}

void non_zero_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
}

// Returns the slices along the axis that are the first with their value; nullopt if that cannot be
// told.
std::optional<std::vector<std::int64_t>> first_of_each(const Value& value, std::size_t axis,
                                                       const ValueDims& dims) {
  const std::int64_t outer = count_of(dims, 0, axis);
  const std::int64_t inner = count_of(dims, axis + 1, dims.size());
  std::map<std::vector<long double>, std::int64_t> seen;
  for (std::int64_t at = 0; at < dims[axis]; ++at) {
    std::vector<long double> slice;
    for (std::int64_t i = 0; i < outer; ++i) {
      for (std::int64_t j = 0; j < inner; ++j) {
        const auto item = static_cast<std::size_t>((i * dims[axis] + at) * inner + j);
        const auto number = exact_number(value.items[item]);
        if (!number || *number != *number) return std::nullopt;  // a NaN equals nothing
        slice.push_back(*number);
      }
    }
    seen.try_emplace(std::move(slice), at);
  }
  std::vector<std::int64_t> firsts;
  firsts.reserve(seen.size());
  for (const auto& [slice, at] : seen) firsts.push_back(at);
  return firsts;
}

Status unique_shape(ShapeContext& c) {
  auto along = along_axis(c);
  if (!along) return failure(along);
  auto& [dims, axis, flat] = *along;
  const Expr length = dims[axis];
  const Value* value = elements_of(c, 0);
  ValueDims from;
  std::optional<std::vector<std::int64_t>> firsts;
  if (value != nullptr) {
    from = flat ? ValueDims{static_cast<std::int64_t>(value->size())} : value->dims;
    firsts = first_of_each(*value, axis, from);
  }
  const Expr count =
      firsts ? Expr(static_cast<std::int64_t>(firsts->size())) : c.fresh("unique", length);
  c.set(1, DType::I64, {count});
  c.set(2, DType::I64, {length});
  c.set(3, DType::I64, {count});
  if (!firsts) {
    dims[axis] = count;
    c.set(0, c.dtype(0), std::move(dims));
    return {};
  }
  if (c.integer("sorted", 1) == 0) std::sort(firsts->begin(), firsts->end());
  c.set_value(0, picked(*value, from, axis, *firsts));
  return {};
}

void unique_cost(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
  c.at_least("Unique is counted as one comparison per element; a sort needs more");
}

constexpr Example kTopK[] = {
    {"f32[N,1000], i64[1]={5}", "", "f32[N,5], i64[N,5]"},
    {"f32[3,4], i64[1]={3}", "axis=0", "f32[3,4], i64[3,4]", {.macs = 0, .flops = 12}},
    {"f32[3,4], i64[1]", "", "f32[3,k], i64[3,k]"},
    {"f32[3,4], i64[1]={K}", "", "f32[3,K], i64[3,K]"},
    {"f32[3,4]", "k=2 axis=1", "f32[3,2], i64[3,2]", {}, 1},
};
constexpr Example kNonZero[] = {
    {"f32[2,3,4]", "", "i64[3,nonzero]", {.macs = 0, .flops = 24}},
    {"i64[2,2]={1,0,N,1}", "", "i64[2,3]={0,1,1,0,0,1}"},
    {"bool[3]={false,true,true}", "", "i64[1,2]={1,2}"},
};
constexpr Example kUnique[] = {
    {"f32[6]", "", "f32[unique], i64[unique], i64[6], i64[unique]", {.macs = 0, .flops = 6}},
    {"f32[2,3]", "axis=1", "f32[2,unique]"},
    {"i64[6]={2,1,1,3,4,3}", "", "i64[4]={1,2,3,4}, i64[4], i64[6], i64[4]"},
    {"i64[6]={2,1,1,3,4,3}", "sorted=0", "i64[4]={2,1,3,4}"},
    {"i64[3,2]={1,0,1,0,2,3}", "axis=0", "i64[2,2]={1,0,2,3}, i64[2], i64[3], i64[2]"},
};

constexpr VersionChange kCountToInput = {10, Rewrite::AttributesToInputs, {"k"}};

constexpr OpRule kSearchRules[] = {
    {.name = "TopK",
     .since = 1,
     .shape = top_k_shape,
     .cost = top_k_cost,
     .examples = kTopK,
     .settings = slots(1),
     .traits = {.changed = &kCountToInput}},
    {.name = "NonZero",
     .since = 9,
     .shape = non_zero_shape,
     .cost = non_zero_cost,
     .examples = kNonZero},
    {.name = "Unique",
     .since = 11,
     .shape = unique_shape,
     .cost = unique_cost,
     .examples = kUnique},
};

}  // namespace

std::span<const OpRule> search_rules() { return kSearchRules; }

}  // namespace strata
