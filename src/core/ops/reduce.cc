// Reductions along axes: one addition, comparison or product per input element, plus what the
// formula does to each element before and to each result after.
#include <cmath>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

// A reduction as a fold: what is done to each element, to two of them, and to the result of `count`
// elements.
struct Fold {
  Scalar (*each)(const Scalar&);
  Scalar (*join)(const Scalar&, const Scalar&);
  Scalar (*finish)(const Scalar& result, std::int64_t count, DType type);
};

Scalar itself(const Scalar& a) { return a; }
Scalar squared(const Scalar& a) { return scalar::multiply(a, a); }
Scalar result_itself(const Scalar& a, std::int64_t, DType) { return a; }
Scalar divided(const Scalar& a, std::int64_t count, DType type) {
  const Scalar divisor(count);
  return is_integer(type) ? scalar::divide_whole(a, divisor) : scalar::divide_real(a, divisor);
}
Scalar rooted(const Scalar& a, std::int64_t, DType) { return scalar::real_function<std::sqrt>(a); }
Scalar logarithm(const Scalar& a, std::int64_t, DType) {
  return scalar::real_function<std::log>(a);
}

constexpr Fold kSum = {itself, scalar::add, result_itself};
constexpr Fold kProd = {itself, scalar::multiply, result_itself};
constexpr Fold kMax = {itself, scalar::maximum, result_itself};
constexpr Fold kMin = {itself, scalar::minimum, result_itself};
constexpr Fold kMean = {itself, scalar::add, divided};
constexpr Fold kL1 = {scalar::absolute, scalar::add, result_itself};
constexpr Fold kL2 = {squared, scalar::add, rooted};
constexpr Fold kSumSquare = {squared, scalar::add, result_itself};
constexpr Fold kLogSum = {itself, scalar::add, logarithm};
constexpr Fold kLogSumExp = {scalar::real_function<std::exp>, scalar::add, logarithm};

// Reduces the input's known elements along the marked axes, in their order.
Scalars reduced(const Value& value, const std::vector<bool>& gone, const Fold& fold) {
  std::vector<std::optional<Scalar>> totals;
  // Position in the result of each input element: strides of the axes that stay.
  ValueDims strides(value.dims.size());
  std::int64_t results = 1;
  for (std::size_t i = value.dims.size(); i-- > 0;) {
    strides[i] = gone[i] ? 0 : results;
    if (!gone[i]) results *= value.dims[i];
  }
  totals.resize(static_cast<std::size_t>(results));
  ValueDims index(value.dims.size());
  for (const Scalar& item : value.items) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) at += index[i] * strides[i];
    auto& total = totals[static_cast<std::size_t>(at)];
    const Scalar mapped = fold.each(item);
    total = scalar::fit(total ? fold.join(*total, mapped) : mapped, value.type);
    for (std::size_t i = index.size(); i-- > 0 && ++index[i] == value.dims[i];) index[i] = 0;
  }
  Scalars items;
  const auto count = static_cast<std::int64_t>(value.size()) / std::max<std::int64_t>(results, 1);
  for (const auto& total : totals) {
    items.push_back(scalar::fit(fold.finish(*total, count, value.type), value.type));
  }
  return items;
}

// The input that holds the axes; -1 in versions that have them as an attribute.
template <int axes_input_since>
int axes_slot(const NodeView& c) {
  return c.opset() >= axes_input_since ? 1 : -1;
}

// The axes are given but unknown: each size may stay or go.
Status unknown_axes(ShapeContext& c, bool keep) {
  const auto rank = static_cast<std::int64_t>(c.rank(0));
  set_fresh(c, 0, c.dtype(0), keep ? Expr(rank) : Expr(rank) - length_of(c, 1), "reduced");
  return {};
}

template <int axes_input_since, const Fold& fold>
Status reduce(ShapeContext& c) {
  if (!c.ranked(0)) {
    c.set_unranked(0, c.dtype(0));
    return {};
  }
  const std::size_t rank = c.rank(0);
  const bool keep = c.integer("keepdims", 1) != 0;
  auto axes = axes_of(c, axes_slot<axes_input_since>(c), rank);
  if (!axes) return failure(axes);
  if (!axes->known) return unknown_axes(c, keep);
  const bool all = axes->list.empty();
  if (all && c.integer("noop_with_empty_axes", 0) != 0) return same_as_input(c);
  std::vector<bool> gone(rank, all);
  for (const std::size_t axis : axes->list) gone[axis] = true;
  Dims dims;
  for (std::size_t i = 0; i < rank; ++i) {
    if (!gone[i]) dims.push_back(c.dims(0)[i]);
    if (gone[i] && keep) dims.push_back(1);
  }
  const Value* value = elements_of(c, 0);
  const auto sizes = value != nullptr && value->size() > 0 ? known_dims(dims) : std::nullopt;
  if (sizes)
    c.set_value(0, Value{value->type, *sizes, reduced(*value, gone, fold)});
  else
    c.set(0, c.dtype(0), std::move(dims));
  return {};
}

// Work per input element, and special operations per output. With no axes, a reduction may be told
// to do nothing.
template <int adds, int muls, int specials, int specials_after>
void reduce_cost(CostContext& c) {
  const bool axes_given = c.has(1) ? !c.in_elements(1).is(0) : !c.integers("axes").empty();
  if (!axes_given && c.integer("noop_with_empty_axes", 0) != 0) return;
  const Expr inputs = c.in_elements(0);
  if constexpr (adds > 0) c.adds({{"inputs", inputs}, {"adds each", adds}});
  if constexpr (muls > 0) c.muls({{"inputs", inputs}, {"muls each", muls}});
  if constexpr (specials > 0) c.specials({{"inputs", inputs}, {"operations each", specials}});
  if constexpr (specials_after > 0) {
    c.specials({{"outputs", c.out_elements(0)}, {"operations each", specials_after}});
  }
}

// Positions of the first (or last) extreme elements along an axis, if all elements are numbers.
std::optional<Scalars> extremes(const Value& value, std::size_t axis, bool greatest, bool last) {
  const auto length = static_cast<std::size_t>(value.dims[axis]);
  const auto stride = static_cast<std::size_t>(strides_of(value.dims)[axis]);
  Scalars items;
  for (std::size_t first = 0; first < value.size(); ++first) {
    if (first / stride % length != 0) continue;
    std::size_t best = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const auto number = exact_number(value.items[first + i * stride]);
      const auto record = exact_number(value.items[first + best * stride]);
      if (!number || !record) return std::nullopt;
      const bool better = greatest ? *number > *record : *number < *record;
      if (better || (last && *number == *record)) best = i;
    }
    items.emplace_back(static_cast<std::int64_t>(best));
  }
  return items;
}

template <bool greatest>
Status arg_extreme(ShapeContext& c) {
  if (!c.ranked(0)) {
    c.set_unranked(0, DType::I64);
    return {};
  }
  auto axis = c.axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return failure(axis);
  Dims dims = c.dims(0);
  if (c.integer("keepdims", 1) != 0)
    dims[*axis] = 1;
  else
    dims.erase(*axis);
  const auto sizes = c.has_value(0) ? known_dims(dims) : std::nullopt;
  c.set(0, DType::I64, std::move(dims));
  const Value* value = sizes ? elements_of(c, 0) : nullptr;
  if (value == nullptr || value->size() == 0) return {};
  auto items = extremes(*value, *axis, greatest, c.integer("select_last_index", 0) != 0);
  if (items) c.set_value(0, Value{DType::I64, *sizes, *std::move(items)});
  return {};
}

void one_comparison(CostContext& c) {
  c.adds({{"inputs", c.in_elements(0)}, {"comparisons each", 1}});
}

constexpr Example kSumExamples[] = {
    {"f32[2,3,4], i64[1]={1}", "keepdims=0", "f32[2,4]", {.macs = 0, .flops = 24}},
    {"f32[2,3,4], i64[2]={-1,0}", "", "f32[1,3,1]", {.flops = 24}},
    {"f32[2,3,4]", "axes=1, keepdims=0", "f32[2,4]", {.flops = 24}, 11},
    {"f32[N,3]", "", "f32[1,1]"},
    {"f32[2,3]", "noop_with_empty_axes=1", "f32[2,3]", {.flops = 0}},
    {"i64[2,2]={1,2,3,4}, i64[1]={0}", "keepdims=0", "i64[2]={4,6}"},
};
constexpr Example kMeanExamples[] = {
    {"f32[1,1280,7,7], i64[2]={2,3}", "keepdims=0", "f32[1,1280]", {.flops = 62720 + 1280}},
    {"f32[1,1280,7,7]", "axes=2,3", "f32[1,1280,1,1]", {.flops = 62720 + 1280}, 13},
    {"f32[2]={1,2}, i64[1]={0}", "", "f32[1]={1.5}"},
};
constexpr Example kProdExamples[] = {
    {"i64[3]={2,3,N}", "keepdims=0", "i64[]={6·N}", {.flops = 3}},
};
constexpr Example kMaxExamples[] = {
    {"i64[2,2]={1,7,3,4}, i64[1]={1}", "keepdims=0", "i64[2]={7,4}", {.flops = 4}},
    {"f32[2,3,4], i64[1]", "", "f32[reduced,reduced_2,reduced_3]"},
};
constexpr Example kMinExamples[] = {
    {"i64[2,2]={1,7,3,4}, i64[1]={1}", "keepdims=0", "i64[2]={1,3}", {.flops = 4}},
};
constexpr Example kL1Examples[] = {
    {"i64[2,2]={1,-7,3,4}, i64[1]={1}", "keepdims=0", "i64[2]={8,7}", {.flops = 8}},
};
constexpr Example kL2Examples[] = {
    {"f32[1,2]={3,4}, i64[1]={1}", "", "f32[1,1]={5}", {.flops = 5}},
};
constexpr Example kSumSquareExamples[] = {
    {"f32[1,2]={3,4}, i64[1]={1}", "", "f32[1,1]={25}", {.flops = 4}},
};
constexpr Example kLogSumExamples[] = {
    {"f32[2,3], i64[1]={1}", "", "f32[2,1]", {.flops = 6 + 2}},
};
constexpr Example kLogSumExpExamples[] = {
    {"f32[2,3], i64[1]={1}", "", "f32[2,1]", {.flops = 12 + 2}},
};
constexpr Example kArgMax[] = {
    {"f32[2,3,4]", "axis=1", "i64[2,1,4]", {.flops = 24}},
    {"f32[2,N]", "axis=-1 keepdims=0", "i64[2]"},
    {"i64[2,3]={1,5,5,9,2,9}", "axis=1 keepdims=0", "i64[2]={1,0}"},
    {"i64[2,3]={1,5,5,9,2,9}", "axis=1 keepdims=0 select_last_index=1", "i64[2]={2,2}"},
};
constexpr Example kArgMin[] = {
    {"i64[2,3]={1,5,5,9,2,9}", "axis=1 keepdims=0", "i64[2]={0,1}", {.flops = 6}},
};

template <int axes_input_since, const Fold& fold>
constexpr OpRule row(std::string_view name, CostRule cost, std::span<const Example> examples) {
  OpRule rule = any_rank(name, 1, reduce<axes_input_since, fold>, cost, examples);
  rule.settings = slots(1);
  return rule;
}

constexpr VersionChange kAxesToInput = {13, Rewrite::AttributesToInputs, {"axes"}};

// The axes became an input in version 13 for ReduceSum, and in 18 for the others.
constexpr OpRule kReduceRules[] = {
    with_traits(row<13, kSum>("ReduceSum", reduce_cost<1, 0, 0, 0>, kSumExamples),
                {.changed = &kAxesToInput}),
    with_traits(row<18, kMean>("ReduceMean", reduce_cost<1, 0, 0, 1>, kMeanExamples),
                {.op = Op::ReduceMean, .int8 = Int8Use::Soft}),
    row<18, kProd>("ReduceProd", reduce_cost<0, 1, 0, 0>, kProdExamples),
    with_traits(row<18, kMax>("ReduceMax", reduce_cost<1, 0, 0, 0>, kMaxExamples),
                {.op = Op::ReduceMax}),
    row<18, kMin>("ReduceMin", reduce_cost<1, 0, 0, 0>, kMinExamples),
    row<18, kL1>("ReduceL1", reduce_cost<2, 0, 0, 0>, kL1Examples),
    row<18, kL2>("ReduceL2", reduce_cost<1, 1, 0, 1>, kL2Examples),
    row<18, kSumSquare>("ReduceSumSquare", reduce_cost<1, 1, 0, 0>, kSumSquareExamples),
    row<18, kLogSum>("ReduceLogSum", reduce_cost<1, 0, 0, 1>, kLogSumExamples),
    row<18, kLogSumExp>("ReduceLogSumExp", reduce_cost<1, 0, 1, 1>, kLogSumExpExamples),
    any_rank("ArgMax", 1, arg_extreme<true>, one_comparison, kArgMax),
    any_rank("ArgMin", 1, arg_extreme<false>, one_comparison, kArgMin),
};

}  // namespace

std::span<const OpRule> reduce_rules() { return kReduceRules; }

}  // namespace strata
