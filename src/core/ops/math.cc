// Functions of one tensor, element by element. A comparison, an absolute value or a rounding counts
// as an addition; a root, an exponential or another function counts as one special operation.
#include <cmath>

#include "ops/common.h"
#include "ops/curves.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"

namespace strata {
namespace {

Status to_bool(ShapeContext& c) {
  TypeInfo type = c.in(0);
  type.dtype = DType::Bool;
  c.set(0, std::move(type));
  return {};
}

Scalar reciprocal(const Scalar& a) { return scalar::divide_real(Scalar(std::int64_t{1}), a); }

// Two's complement; for an unsigned type, the result does not fit and is unknown.
Scalar bitwise_not(const Scalar& a) { return Scalar(-a.whole() - 1); }

// A bound of Clip: an attribute before version 11, an input since then.
struct Bound {
  bool given = false;
  std::optional<Scalar> known;
};

Bound bound_of(ShapeContext& c, std::size_t slot, std::string_view attribute) {
  if (c.opset() < 11) {
    if (!c.has_attribute(attribute)) return {};
    return {true, Scalar::real(c.real(attribute, 0))};
  }
  if (!c.has(slot)) return {};
  const Value* value = c.value(slot);
  if (value == nullptr || value->size() != 1) return {true, std::nullopt};
  return {true, value->items[0]};
}

Status clip(ShapeContext& c) {
  const Value* value = elements_of(c, 0);
  if (value == nullptr) return like_input(c);
  const Bound low = bound_of(c, 1, "min"), high = bound_of(c, 2, "max");
  if ((low.given && !low.known) || (high.given && !high.known)) return like_input(c);
  Value result{value->type, value->dims, {}};
  for (const Scalar& item : value->items) {
    Scalar clipped = low.given ? scalar::maximum(item, *low.known) : item;
    if (high.given) clipped = scalar::minimum(clipped, *high.known);
    result.items.push_back(scalar::fit(clipped, value->type));
  }
  c.set_value(0, std::move(result));
  return {};
}

// One comparison per bound that is set.
void clip_cost(CostContext& c) {
  const bool inputs = c.opset() >= 11;
  const int low = inputs ? c.has(1) : c.has_attribute("min");
  const int high = inputs ? c.has(2) : c.has_attribute("max");
  c.adds({{"outputs", c.out_elements(0)}, {"bounds", low + high}});
}

// The running sum or product along one axis, which input 1 gives.
template <Scalar (*f)(const Scalar&, const Scalar&)>
Status cumulative(ShapeContext& c) {
  if (auto status = like_input(c); !status) return status;
  if (!c.ranked(0)) return {};
  const auto given = c.scalar_of(1);
  if (!given || !given->is_number()) return {};
  auto axis = c.axis(given->value(), c.rank(0));
  if (!axis) return failure(axis);
  const Value* value = elements_of(c, 0);
  if (value == nullptr || value->size() == 0) return {};
  const bool exclusive = c.integer("exclusive", 0) != 0;
  const bool reverse = c.integer("reverse", 0) != 0;
  const auto length = static_cast<std::size_t>(value->dims[*axis]);
  const auto stride = static_cast<std::size_t>(strides_of(value->dims)[*axis]);
  const Scalar start(std::int64_t{f == scalar::multiply ? 1 : 0});
  Value result{value->type, value->dims, Scalars(value->size())};
  for (std::size_t first = 0; first < value->size(); ++first) {
    if (first / stride % length != 0) continue;
    Scalar running = start;
    for (std::size_t i = 0; i < length; ++i) {
      const std::size_t at = first + (reverse ? length - 1 - i : i) * stride;
      if (exclusive) result.items[at] = running;
      running = scalar::fit(f(running, value->items[at]), value->type);
      if (!exclusive) result.items[at] = running;
    }
  }
  c.set_value(0, std::move(result));
  return {};
}

constexpr Example kAbs[] = {
    {"f32[2,N]", "", "f32[2,N]"},
    {"i64[2]={-3,4}", "", "i64[2]={3,4}", {.macs = 0, .flops = 2}},
};
constexpr Example kNeg[] = {{"i64[2]={-3,N}", "", "i64[2]={3,-N}", {.flops = 2}}};
constexpr Example kSign[] = {{"f32[3]={-3,0,0.5}", "", "f32[3]={-1,0,1}", {.flops = 3}}};
constexpr Example kFloor[] = {{"f32[2]={-0.5,1.75}", "", "f32[2]={-1,1}", {.flops = 2}}};
constexpr Example kCeil[] = {{"f32[2]={-0.5,1.75}", "", "f32[2]={0,2}", {.flops = 2}}};
constexpr Example kRound[] = {{"f32[3]={0.5,1.5,-2.5}", "", "f32[3]={0,2,-2}", {.flops = 3}}};
constexpr Example kNot[] = {{"bool[2]={1,0}", "", "bool[2]={0,1}", {.flops = 2}}};
constexpr Example kBitwiseNot[] = {{"i32[2]={3,-1}", "", "i32[2]={-4,0}", {.flops = 2}}};
constexpr Example kIsNaN[] = {{"f32[2,3]", "", "bool[2,3]", {.flops = 6}}};
constexpr Example kFunction[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kSqrt[] = {
    {"f32[2,3]", "", "f32[2,3]", {.flops = 6}},
    {"f32[]={2.25}", "", "f32[]={1.5}"},
};
constexpr Example kReciprocal[] = {{"f32[2]={4,0.5}", "", "f32[2]={0.25,2}", {.flops = 2}}};
constexpr Example kClip[] = {
    {"f32[2,3], f32[]={0}, f32[]={6}", "", "f32[2,3]", {.macs = 0, .flops = 12}},
    {"i64[3]={-4,2,9}, i64[]={0}", "", "i64[3]={0,2,9}", {.flops = 3}},
    {"f32[3]={-4,2,9}", "min=0.0f max=6.0f", "f32[3]={0,2,6}", {.flops = 6}, 6},
};
constexpr Example kCumSum[] = {
    {"f32[2,3], i32[]={1}", "", "f32[2,3]", {.flops = 6}},
    {"i64[2,3]={1,2,3,4,5,6}, i64[]={1}", "", "i64[2,3]={1,3,6,4,9,15}"},
    {"i64[2,3]={1,2,3,4,5,6}, i64[]={0}", "exclusive=1 reverse=1", "i64[2,3]={4,5,6,0,0,0}"},
};
constexpr Example kCumProd[] = {{"i64[4]={1,2,3,4}, i64[]={0}", "", "i64[4]={1,2,6,24}"}};

// The bounds were attributes before version 11.
constexpr VersionChange kBoundsToInputs = {11, Rewrite::AttributesToInputs, {"min", "max"}};

std::optional<double> one_number(const Graph& graph, TensorId id) {
  if (id == kNone) return std::nullopt;
  const Tensor& tensor = graph.tensors[id];
  if (tensor.value != nullptr && tensor.value->size() == 1) return tensor.value->items[0].number();
  if (tensor.data != nullptr)
    if (auto value = decode(*tensor.data); value && value->size() == 1)
      return value->items[0].number();
  return std::nullopt;
}

LayerKind clip_kind(const NodeView& c) {
  const auto bound = [&](std::size_t slot, std::string_view name) -> std::optional<double> {
    if (slot < c.input_count()) return one_number(c.graph(), c.node().inputs[slot]);
    if (c.has_attribute(name)) return c.real(name, 0);
    return std::nullopt;
  };
  return bound(1, "min") == 0.0 && bound(2, "max") == 6.0 ? LayerKind::ReLU6 : LayerKind::Other;
}

// Older exporters and PaddlePaddle write Hardswish as x · clip(x + 3, 0, 6) / 6.
constexpr Traits kClipTraits = {.kind_of = clip_kind,
                                .activation = true,
                                .curve = curve::relu6,
                                .clamp = {.is = true,
                                          .low_input = 1,
                                          .high_input = 2,
                                          .low_attribute = "min",
                                          .high_attribute = "max"},
                                .written_out = {LayerKind::Hardsigmoid, LayerKind::Hardswish},
                                .int8 = Int8Use::Absorbed,
                                .changed = &kBoundsToInputs};

constexpr OpRule clip_row() {
  OpRule rule = any_rank("Clip", 1, clip, clip_cost, kClip, kClipTraits);
  rule.settings = slots(1, 2);
  return rule;
}

template <Scalar (*f)(const Scalar&, const Scalar&)>
constexpr OpRule cumulative_row(std::string_view name, int since, CostRule cost,
                                std::span<const Example> examples) {
  OpRule rule = any_rank(name, since, cumulative<f>, cost, examples);
  rule.settings = slots(1);
  return rule;
}

constexpr OpRule function_row(std::string_view name, int since, const Traits& traits = {}) {
  return any_rank(name, since, like_input, specials_per_output<1>, kFunction, traits);
}

constexpr OpRule kMathRules[] = {
    any_rank("Abs", 1, unary<scalar::absolute>, adds_per_output<1>, kAbs,
             {.curve = curve::absolute}),
    any_rank("Neg", 1, unary<scalar::negate>, adds_per_output<1>, kNeg),
    any_rank("Sign", 9, unary<scalar::sign>, adds_per_output<1>, kSign),
    any_rank("Floor", 1, unary<scalar::floor>, adds_per_output<1>, kFloor),
    any_rank("Ceil", 1, unary<scalar::ceil>, adds_per_output<1>, kCeil),
    any_rank("Round", 11, unary<scalar::round_half_even>, adds_per_output<1>, kRound),
    any_rank("Not", 1, unary<scalar::logical_not>, adds_per_output<1>, kNot),
    any_rank("BitwiseNot", 18, unary<bitwise_not>, adds_per_output<1>, kBitwiseNot),
    any_rank("IsNaN", 9, to_bool, adds_per_output<1>, kIsNaN),
    any_rank("IsInf", 10, to_bool, adds_per_output<1>, kIsNaN),
    clip_row(),
    any_rank("Sqrt", 1, unary<scalar::real_function<std::sqrt>>, specials_per_output<1>, kSqrt,
             {.op = Op::Sqrt, .int8 = Int8Use::Soft}),
    any_rank("Exp", 1, unary<scalar::real_function<std::exp>>, specials_per_output<1>, kFunction,
             {.curve = curve::exponential}),
    any_rank("Log", 1, unary<scalar::real_function<std::log>>, specials_per_output<1>, kFunction),
    any_rank("Reciprocal", 1, unary<reciprocal>, specials_per_output<1>, kReciprocal),
    function_row("Erf", 9,
                 {.op = Op::Erf,
                  .curve = curve::error_function,
                  .written_out = {LayerKind::GELU, LayerKind::GELU},
                  .int8 = Int8Use::Soft}),
    function_row("Sin", 7),
    function_row("Cos", 7),
    function_row("Tan", 7),
    function_row("Asin", 7),
    function_row("Acos", 7),
    function_row("Atan", 7),
    function_row("Sinh", 9),
    function_row("Cosh", 9),
    function_row("Asinh", 9),
    function_row("Acosh", 9),
    function_row("Atanh", 9),
    cumulative_row<scalar::add>("CumSum", 11, adds_per_output<1>, kCumSum),
    cumulative_row<scalar::multiply>("CumProd", 26, muls_per_output<1>, kCumProd),
};

}  // namespace

std::span<const OpRule> math_rules() { return kMathRules; }

}  // namespace strata
