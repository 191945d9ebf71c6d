// Arithmetic of ncnn on one or several blobs.
#include <array>

#include "ops/ncnn_rows.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Blobs of fewer axes are joined to others at their outermost axis: [C] meets [C,H,W] as [C,1,1].
Result<Dims> joined_dims(ShapeContext& c, const Dims& a, const Dims& b) {
  const std::size_t rank = std::max(a.size(), b.size());
  const auto filled_up = [&](const Dims& dims) {
    Dims all = dims;
    while (all.size() < rank) all.push_back(1);
    return all;
  };
  return c.broadcast(filled_up(a), filled_up(b));
}

Status joined_shape(ShapeContext& c) {
  Dims all = c.dims(0);
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    if (!c.has(i)) continue;
    auto dims = joined_dims(c, all, c.dims(i));
    if (!dims) return failure(dims);
    all = std::move(*dims);
  }
  c.set(0, c.dtype(0), std::move(all));
  return {};
}

// In the order of their numbers in the file.
constexpr std::array<std::string_view, 12> kBinary = {"Add", "Sub", "Mul", "Div", "Max",   "Min",
                                                      "Pow", "Sub", "Div", "Pow", "atan2", "atan2"};
constexpr std::array<std::string_view, 20> kUnary = {
    "Abs", "Neg", "Floor", "Ceil", "Mul",  "Sqrt",       "rsqrt", "Exp", "Log",   "Sin",
    "Cos", "Tan", "Asin",  "Acos", "Atan", "Reciprocal", "Tanh",  "Log", "Round", "trunc"};

template <std::size_t count>
std::string_view named(const std::array<std::string_view, count>& names, const NodeView& c) {
  const std::int64_t number = c.integer("op_type", 0);
  return number < 0 || static_cast<std::size_t>(number) >= count
             ? std::string_view()
             : names[static_cast<std::size_t>(number)];
}

void binary_cost(CostContext& c) {
  const std::string_view op = named(kBinary, c);
  const Expr count = c.out_elements(0);
  if (op == "Add" || op == "Sub" || op == "Max" || op == "Min")
    c.adds({{"outputs", count}});
  else if (op == "Mul")
    c.muls({{"outputs", count}});
  else if (!op.empty())
    c.specials({{"outputs", count}});
  else
    c.cannot_tell("its kind is newer than the list that strata has");
}

void unary_cost(CostContext& c) {
  const std::string_view op = named(kUnary, c);
  const Expr count = c.out_elements(0);
  if (op.empty())
    c.cannot_tell("its kind is newer than the list that strata has");
  else if (op == "Mul")
    c.muls({{"outputs", count}});
  else if (op == "rsqrt")
    c.specials({{"outputs", count}, {"root and reciprocal", 2}});
  else if (op == "trunc")
    c.adds({{"outputs", count}});
  else
    add_elementwise(c, op, count);
}

// Product, sum (perhaps with coefficients) or maximum of all inputs.
void eltwise_cost(CostContext& c) {
  const Expr count = c.out_elements(0);
  const auto others = static_cast<std::int64_t>(c.input_count()) - 1;
  if (c.integer("op_type", 0) == 0)
    c.muls({{"outputs", count}, {"inputs but one", others}});
  else
    c.adds({{"outputs", count}, {"inputs but one", others}});
  std::int64_t factors = 0;
  for (const float coefficient : c.reals("coeffs")) factors += coefficient != 1;
  if (factors > 0) c.muls({{"outputs", count}, {"coefficients", factors}});
}

// Input 1 is stored, or the output of another layer.
void ncnn_scale_cost(CostContext& c) {
  muls_per_output<1>(c);
  if (c.has(2)) c.adds({{"outputs, bias", c.out_elements(0)}});
}

constexpr Example kNcnnBinary[] = {
    {"f32[1,4,8,8], f32[1,4,8,8]", "op_type=0", "f32[1,4,8,8]", {.macs = 0, .flops = 256}},
    {"f32[1,4,8,8], f32[1,4]", "op_type=2", "f32[1,4,8,8]", {.macs = 0, .flops = 256}},
    {"f32[1,1,1], f32[1,4,8,8]", "op_type=1", "f32[1,4,8,8]"},
    {"f32[1,4,8,8]", "op_type=2 with_scalar=1 b=0.5f", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};
constexpr Example kNcnnUnary[] = {
    {"f32[1,4,8,8]", "op_type=4", "f32[1,4,8,8]", {.macs = 0, .flops = 256}},
    {"f32[1,4,8,8]", "op_type=5", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};
constexpr Example kNcnnEltwise[] = {{"f32[1,4,8,8], f32[1,4,8,8]",
                                     "op_type=1 coeffs=1.0f,0.2f",
                                     "f32[1,4,8,8]",
                                     {.macs = 0, .flops = 512}}};
constexpr Example kNcnnScale[] = {
    {"f32[1,4,8,8], f32[1,4]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 256}},
    {"f32[1,4,8,8], f32[1,4], f32[1,4]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 512}}};
constexpr Example kNcnnBias[] = {
    {"f32[1,4,8,8], f32[1,4]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};

constexpr OpRule kNcnnElementwiseRules[] = {
    ncnn("BinaryOp", "", joined_shape, binary_cost, kNcnnBinary, {.kind = LayerKind::Elementwise}),
    ncnn("UnaryOp", "", like_input, unary_cost, kNcnnUnary),
    ncnn("Eltwise", "", joined_shape, eltwise_cost, kNcnnEltwise, {.kind = LayerKind::Elementwise}),
    ncnn("Scale", "", joined_shape, ncnn_scale_cost, kNcnnScale),
    ncnn("Bias", "", joined_shape, adds_per_output<1>, kNcnnBias),
};

}  // namespace

std::span<const OpRule> ncnn_elementwise_rules() { return kNcnnElementwiseRules; }

}  // namespace strata
