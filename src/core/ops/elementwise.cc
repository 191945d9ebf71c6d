// Operators on two or more tensors, element by element, with broadcasting. They take one operation
// per output element unless the cost function says otherwise.
#include <fmt/format.h>

#include "ops/common.h"
#include "ops/elements.h"
#include "ops/registry.h"
#include "ops/scalar_math.h"
#include "ops/sizes.h"

namespace strata {
namespace {

using BinaryFunction = Scalar (*)(const Scalar&, const Scalar&);

// More inputs than this are not folded, so that no file can make it expensive.
constexpr std::size_t kMaxFoldedInputs = 64;

DType shared_type(const ShapeContext& c) {
  return c.dtype(0) != DType::Undefined ? c.dtype(0) : c.dtype(1);
}

// Before version 7: with the attribute `broadcast`, B is repeated to the shape of A, with its axes
// aligned to those of A from `axis` on (to the last ones if absent).
Status aligned_at_axis(ShapeContext& c, DType out, BinaryFunction f) {
  if (!c.ranked(0) || !c.ranked(1)) {
    c.set_unranked(0, out);
    return {};
  }
  const Dims& a = c.dims(0);
  const Dims& b = c.dims(1);
  if (b.size() > a.size()) return c.error("its second input has more axes than its first");
  std::size_t start = a.size() - b.size();
  if (const auto given = c.integer("axis"); given && !b.empty()) {
    auto axis = c.axis(*given, a.size());
    if (!axis) return failure(axis);
    start = *axis;
  }
  if (start + b.size() > a.size()) {
    return c.error("its second input has too many axes to start at the given axis");
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    const Expr& size = a[start + i];
    if (size.is_number() && b[i].is_number() && !b[i].is(1) && size != b[i]) {
      return c.error("its second input does not broadcast to its first");
    }
  }
  c.set(0, out, a);
  if (!worth_folding(c, 0) || !worth_folding(c, 1)) return {};
  const Value* first = elements_of(c, 0);
  const Value* second = elements_of(c, 1);
  if (first == nullptr || second == nullptr) return {};
  Value widened = *second;
  widened.dims.resize(widened.dims.size() + (a.size() - start - b.size()), 1);
  if (auto result = combine(*first, widened, out, f)) c.set_value(0, *std::move(result));
  return {};
}

Status binary(ShapeContext& c, DType out, BinaryFunction f) {
  if (c.opset() < 7 && c.integer("broadcast", 0) != 0) return aligned_at_axis(c, out, f);
  return fold_binary(c, out, f);
}

template <BinaryFunction f>
Status arithmetic(ShapeContext& c) {
  return binary(c, shared_type(c), f);
}

template <BinaryFunction f>
Status comparison(ShapeContext& c) {
  return binary(c, DType::Bool, f);
}

Status quotient(ShapeContext& c) {
  const bool whole = is_integer(shared_type(c));
  return binary(c, shared_type(c), whole ? scalar::divide_whole : scalar::divide_real);
}

Status modulus(ShapeContext& c) {
  const bool like_c = c.integer("fmod", 0) != 0;
  return binary(c, shared_type(c), like_c ? scalar::remainder : scalar::modulo);
}

template <class Bits>
Scalar of_bits(const Scalar& a, const Scalar& b, Bits f) {
  const Expr x = a.whole(), y = b.whole();
  if (!x.is_number() || !y.is_number()) return scalar::unknown();
  return Scalar(static_cast<std::int64_t>(f(x.value(), y.value())));
}
Scalar bitwise_and(const Scalar& a, const Scalar& b) { return of_bits(a, b, std::bit_and<>()); }
Scalar bitwise_or(const Scalar& a, const Scalar& b) { return of_bits(a, b, std::bit_or<>()); }
Scalar bitwise_xor(const Scalar& a, const Scalar& b) { return of_bits(a, b, std::bit_xor<>()); }

// The operand types are unsigned.
Scalar shift_left(const Scalar& a, const Scalar& b) {
  const Expr places = b.whole();
  if (!places.is_number() || places.value() < 0 || places.value() > 61) return scalar::unknown();
  return a.whole() * Expr(std::int64_t{1} << places.value());
}
Scalar shift_right(const Scalar& a, const Scalar& b) {
  const Expr places = b.whole();
  if (!places.is_number() || places.value() < 0) return scalar::unknown();
  if (places.value() > 61) return scalar::from_bool(false);
  return floor_div(a.whole(), Expr(std::int64_t{1} << places.value()));
}

Status shift(ShapeContext& c) {
  return binary(c, shared_type(c),
                c.text("direction", "LEFT") == "RIGHT" ? shift_right : shift_left);
}

// Reduces all inputs with f, pair by pair; nullopt if some are unknown.
std::optional<Value> fold_inputs(ShapeContext& c, BinaryFunction f) {
  if (c.input_count() > kMaxFoldedInputs) return std::nullopt;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    if (!worth_folding(c, i)) return std::nullopt;
  }
  std::optional<Value> result;
  for (std::size_t i = 0; i < c.input_count(); ++i) {
    const Value* value = elements_of(c, i);
    if (value == nullptr) return std::nullopt;
    result = result ? combine(*result, *value, result->type, f) : *value;
    if (!result) return std::nullopt;
  }
  return result;
}

template <BinaryFunction f>
Status variadic(ShapeContext& c) {
  if (!c.has(0)) return c.error("it has no input");
  if (auto result = fold_inputs(c, f)) {
    c.set_value(0, *std::move(result));
    return {};
  }
  return broadcast_inputs(c);
}

Status mean(ShapeContext& c) {
  if (!c.has(0)) return c.error("it has no input");
  auto sum = fold_inputs(c, scalar::add);
  if (!sum) return broadcast_inputs(c);
  const Scalar count(static_cast<std::int64_t>(c.input_count()));
  for (Scalar& item : sum->items) {
    item = scalar::fit(scalar::divide_real(item, count), sum->type);
  }
  c.set_value(0, *std::move(sum));
  return {};
}

std::optional<Value> fold_where(ShapeContext& c) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!worth_folding(c, i)) return std::nullopt;
  }
  const Value* condition = elements_of(c, 0);
  const Value* yes = elements_of(c, 1);
  const Value* no = elements_of(c, 2);
  if (condition == nullptr || yes == nullptr || no == nullptr) return std::nullopt;
  // Only for its dims, which are the broadcast of all three.
  auto result = combine(*yes, *no, yes->type, scalar::add);
  if (result) result = combine(*result, *condition, yes->type, scalar::add);
  if (!result) return std::nullopt;
  const auto from_condition = broadcast_positions(condition->dims, result->dims);
  const auto from_yes = broadcast_positions(yes->dims, result->dims);
  const auto from_no = broadcast_positions(no->dims, result->dims);
  if (!from_condition || !from_yes || !from_no) return std::nullopt;
  for (std::size_t i = 0; i < result->size(); ++i) {
    result->items[i] = scalar::select(condition->items[(*from_condition)[i]],
                                      yes->items[(*from_yes)[i]], no->items[(*from_no)[i]]);
  }
  return result;
}

Status where(ShapeContext& c) {
  const DType type = c.dtype(1) != DType::Undefined ? c.dtype(1) : c.dtype(2);
  if (auto result = fold_where(c)) {
    c.set_value(0, *std::move(result));
    return {};
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (!c.ranked(i)) {
      c.set_unranked(0, type);
      return {};
    }
  }
  auto dims = broadcast_dims(c);
  if (!dims) return failure(dims);
  c.set(0, type, *std::move(dims));
  return {};
}

// n inputs take n - 1 operations per output.
void between_inputs(CostContext& c) {
  const auto inputs = static_cast<std::int64_t>(c.input_count());
  c.adds({{"outputs", c.out_elements(0)}, {"inputs - 1", inputs > 0 ? inputs - 1 : 0}});
}

// A sum and one division.
void mean_cost(CostContext& c) {
  between_inputs(c);
  c.specials({{"outputs", c.out_elements(0)}, {"divisions each", 1}});
}

// gate·sigmoid(alpha·gate)·value, of two tensors of one shape: nothing is broadcast.
Status swiglu(ShapeContext& c) {
  if (c.ranked(0) && c.ranked(1)) {
    bool same = c.rank(0) == c.rank(1);
    for (std::size_t i = 0; same && i < c.rank(0); ++i) same = !clash(c.dims(0)[i], c.dims(1)[i]);
    if (!same)
      return c.error(fmt::format("its gate is {} and its value {}, which must have one shape",
                                 strata::text(c.dims(0)), strata::text(c.dims(1))));
  }
  return like_input(c);
}

void swiglu_cost(CostContext& c) {
  const bool scaled = c.real("alpha", 1.0) != 1.0;
  return scaled ? work_per_output<1, 3, 2>(c) : work_per_output<1, 2, 2>(c);
}

constexpr Example kSwiGlu[] = {
    {"f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 30}},
    {"f32[2,3], f32[2,3]", "alpha=1.5f", "f32[2,3]", {.macs = 0, .flops = 36}},
    {"f32[N,8], f32[N,8]", "", "f32[N,8]"},
};
constexpr Example kAdd[] = {
    {"f32[2,3,4], f32[3,1]", "", "f32[2,3,4]", {.macs = 0, .flops = 24}},
    {"f32[1,N,1], f32[4,1,5]", "", "f32[4,N,5]"},
    {"i64[2]={3,N}, i64[]={4}", "", "i64[2]={7,N + 4}"},
    {"f32[2,3,4,5], f32[3,4]", "broadcast=1 axis=1", "f32[2,3,4,5]", {.flops = 120}, 6},
};
constexpr Example kSub[] = {{"i64[2]={3,N}, i64[2]={5,1}", "", "i64[2]={-2,N - 1}"}};
constexpr Example kMul[] = {
    {"f32[8,1], f32[8,16]", "", "f32[8,16]", {.macs = 0, .flops = 128}},
    {"i64[2]={3,N}, i64[1]={2}", "", "i64[2]={6,2·N}"},
};
constexpr Example kDiv[] = {
    {"f32[8,16], f32[]", "", "f32[8,16]", {.flops = 128}},
    {"i64[3]={7,-7,N}, i64[]={2}", "", "i64[3]={3,-3,⌊N/2⌋}"},
    {"f32[2]={1,3}, f32[]={4}", "", "f32[2]={0.25,0.75}"},
};
constexpr Example kMod[] = {
    {"i64[2]={-7,7}, i64[2]={3,-3}", "", "i64[2]={2,-2}", {.flops = 2}},
    {"i64[2]={-7,7}, i64[2]={3,-3}", "fmod=1", "i64[2]={-1,1}"},
};
constexpr Example kPow[] = {{"i64[2]={2,-3}, i64[]={3}", "", "i64[2]={8,-27}", {.flops = 2}}};
constexpr Example kMax[] = {
    {"f32[2,3], f32[3], f32[1]", "", "f32[2,3]", {.flops = 12}},
    {"i64[2]={3,9}, i64[2]={5,1}", "", "i64[2]={5,9}"},
};
constexpr Example kMin[] = {{"i64[2]={3,9}, i64[2]={5,1}", "", "i64[2]={3,1}", {.flops = 2}}};
constexpr Example kSum[] = {{"f32[4], f32[4], f32[4]", "", "f32[4]", {.flops = 8}}};
constexpr Example kMean[] = {
    {"f32[4], f32[4], f32[4]", "", "f32[4]", {.flops = 12}},
    {"f32[2]={1,2}, f32[2]={2,4}", "", "f32[2]={1.5,3}"},
};
constexpr Example kLogical[] = {{"bool[2,1], bool[3]", "", "bool[2,3]", {.flops = 6}}};
constexpr Example kEqual[] = {
    {"i64[2], i64[2]", "", "bool[2]", {.flops = 2}},
    {"i64[3]={1,N,4}, i64[]={-1}", "", "bool[3]={0,0,0}"},
};
constexpr Example kLess[] = {{"f32[2]={1,0.5}, f32[]={1}", "", "bool[2]={0,1}", {.flops = 2}}};
constexpr Example kGreater[] = {{"i64[2]={1,N}, i64[]={0}", "", "bool[2]={1,1}"}};
constexpr Example kAtMost[] = {{"i64[2]={1,2}, i64[]={1}", "", "bool[2]={1,0}"}};
constexpr Example kAtLeast[] = {{"i64[2]={1,0}, i64[]={1}", "", "bool[2]={1,0}"}};
constexpr Example kBitShift[] = {
    {"u8[2]={16,4}, u8[2]={2,1}", "direction=\"RIGHT\"", "u8[2]={4,2}", {.flops = 2}},
    {"u8[2]={16,4}, u8[2]={2,1}", "direction=\"LEFT\"", "u8[2]={64,8}"},
};
constexpr Example kBitwise[] = {{"i32[2,3], i32[3]", "", "i32[2,3]", {.flops = 6}}};
constexpr Example kWhere[] = {
    {"bool[2,1], f32[3], f32[2,3]", "", "f32[2,3]", {.flops = 6}},
    {"bool[2]={1,0}, i64[2]={3,4}, i64[]={-1}", "", "i64[2]={3,-1}"},
};

constexpr OpRule kElementwiseRules[] = {
    any_rank("Add", 1, arithmetic<scalar::add>, adds_per_output<1>, kAdd,
             {.op = Op::Add, .kind = LayerKind::Elementwise, .int8 = Int8Use::Arithmetic}),
    any_rank("Sub", 1, arithmetic<scalar::subtract>, adds_per_output<1>, kSub,
             {.op = Op::Sub, .kind = LayerKind::Elementwise, .int8 = Int8Use::Soft}),
    any_rank("Mul", 1, arithmetic<scalar::multiply>, muls_per_output<1>, kMul,
             {.op = Op::Mul, .kind = LayerKind::Elementwise, .int8 = Int8Use::Arithmetic}),
    any_rank("Div", 1, quotient, specials_per_output<1>, kDiv,
             {.op = Op::Div, .kind = LayerKind::Elementwise, .int8 = Int8Use::Soft}),
    any_rank("Mod", 10, modulus, specials_per_output<1>, kMod),
    any_rank("Pow", 1, arithmetic<scalar::power>, specials_per_output<1>, kPow,
             {.op = Op::Pow, .int8 = Int8Use::Soft}),
    any_rank("Max", 1, variadic<scalar::maximum>, between_inputs, kMax),
    any_rank("Min", 1, variadic<scalar::minimum>, between_inputs, kMin),
    any_rank("Sum", 1, variadic<scalar::add>, between_inputs, kSum, {.op = Op::Sum}),
    any_rank("Mean", 1, mean, mean_cost, kMean),
    any_rank("And", 1, comparison<scalar::logical_and>, adds_per_output<1>, kLogical),
    any_rank("Or", 1, comparison<scalar::logical_or>, adds_per_output<1>, kLogical),
    any_rank("Xor", 1, comparison<scalar::logical_xor>, adds_per_output<1>, kLogical),
    any_rank("Equal", 1, comparison<scalar::equal>, adds_per_output<1>, kEqual),
    any_rank("Less", 1, comparison<scalar::less>, adds_per_output<1>, kLess),
    any_rank("Greater", 1, comparison<scalar::greater>, adds_per_output<1>, kGreater),
    any_rank("LessOrEqual", 12, comparison<scalar::at_most>, adds_per_output<1>, kAtMost),
    any_rank("GreaterOrEqual", 12, comparison<scalar::at_least>, adds_per_output<1>, kAtLeast),
    any_rank("BitShift", 11, shift, adds_per_output<1>, kBitShift),
    any_rank("BitwiseAnd", 18, arithmetic<bitwise_and>, adds_per_output<1>, kBitwise),
    any_rank("BitwiseOr", 18, arithmetic<bitwise_or>, adds_per_output<1>, kBitwise),
    any_rank("BitwiseXor", 18, arithmetic<bitwise_xor>, adds_per_output<1>, kBitwise),
    any_rank("Where", 9, where, adds_per_output<1>, kWhere),  // a choice
    any_rank("SwiGLU", 28, swiglu, swiglu_cost, kSwiGlu),
};

}  // namespace

std::span<const OpRule> elementwise_rules() { return kElementwiseRules; }

}  // namespace strata
