// Operators of StableHLO, which newer converters put into TFLite files: those that are others of
// TFLite by another name, and those that only move data. Files state the types of what they return.
#include "ops/sizes.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

constexpr Example kHloOne[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kHloCurve[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0}}};
constexpr Example kHloRsqrt[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kHloTwo[] = {{"f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kHloLogic[] = {
    {"bool[2,3], bool[2,3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kHloClamp[] = {
    {"f32[], f32[2,3], f32[]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kHloCompare[] = {
    {"f32[2,3], f32[2,3]", "", "bool[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kHloSelect[] = {
    {"bool[2,3], f32[2,3], f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kHloMoved[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 0}}};
constexpr Example kHloIota[] = {{"", "iota_dimension=0", "i32[4]", {.macs = 0, .flops = 0}}};
// 2·4 outputs of 3 products.
constexpr Example kHloDot[] = {
    {"f32[2,3], f32[3,4]",
     "lhs_contracting_dimensions=1, rhs_contracting_dimensions=0,",
     "f32[2,4]",
     {.macs = 24}},
    {"f32[5,2,3], f32[5,4,3]",
     "lhs_batching_dimensions=0, rhs_batching_dimensions=0, lhs_contracting_dimensions=2, "
     "rhs_contracting_dimensions=2,",
     "f32[5,2,4]",
     {.macs = 5 * 24}}};
// Weights 3×3×2×4 with the outputs last: 6·6·4 outputs of 18 products.
constexpr Example kHloConvolution[] = {{"f32[1,8,8,2], f32[3,3,2,4]",
                                        "kernel_output_feature_dimension=3",
                                        "f32[1,6,6,4]",
                                        {.macs = 144 * 18}}};

void hlo_clamp_cost(CostContext& c) { adds_per_output<2>(c); }
void hlo_rsqrt_cost(CostContext& c) { specials_per_output<2>(c); }
void hlo_dot_cost(CostContext& c) {
  Expr common = 1;
  for (const std::int64_t axis : c.integers("lhs_contracting_dimensions"))
    common *= axis < 0 ? Expr::unknown() : size_at(c.in(0), static_cast<std::size_t>(axis));
  c.macs({{"outputs", c.out_elements(0)}, {"common size", common}});
}
// Each output has one product with every weight of its channel.
void hlo_convolution_cost(CostContext& c) {
  const std::int64_t axis = c.integer("kernel_output_feature_dimension", 0);
  Expr window = 1;
  for (std::size_t i = 0; i < c.in(1).dims.size(); ++i)
    if (static_cast<std::int64_t>(i) != axis) window *= c.in(1).dims[i];
  c.macs({{"outputs", c.out_elements(0)}, {"window and channels", window}});
}

constexpr OpRule hlo(std::string_view name, CostRule cost, std::span<const Example> examples,
                     const Traits& traits = {}) {
  return tflite(name, "", nullptr, cost, examples, traits);
}
template <Word onnx>
constexpr OpRule hlo_same(std::string_view name, std::span<const Example> examples) {
  return tflite(name, onnx.view(), nullptr, cost_of_same<onnx>, examples);
}

constexpr OpRule kTfliteStablehloRules[] = {
    hlo_same<"Abs">("STABLEHLO_ABS", kHloOne),
    hlo_same<"Add">("STABLEHLO_ADD", kHloTwo),
    hlo_same<"And">("STABLEHLO_AND", kHloLogic),
    hlo_same<"Or">("STABLEHLO_OR", kHloLogic),
    hlo_same<"Cos">("STABLEHLO_COSINE", kHloOne),
    hlo_same<"Div">("STABLEHLO_DIVIDE", kHloTwo),
    hlo_same<"Exp">("STABLEHLO_EXPONENTIAL", kHloOne),
    hlo_same<"Floor">("STABLEHLO_FLOOR", kHloOne),
    hlo_same<"Log">("STABLEHLO_LOG", kHloOne),
    hlo_same<"Sigmoid">("STABLEHLO_LOGISTIC", kHloCurve),
    hlo_same<"Max">("STABLEHLO_MAXIMUM", kHloTwo),
    hlo_same<"Min">("STABLEHLO_MINIMUM", kHloTwo),
    hlo_same<"Mul">("STABLEHLO_MULTIPLY", kHloTwo),
    hlo_same<"Neg">("STABLEHLO_NEGATE", kHloOne),
    hlo_same<"Pow">("STABLEHLO_POWER", kHloTwo),
    hlo_same<"Mod">("STABLEHLO_REMAINDER", kHloTwo),
    hlo_same<"Sub">("STABLEHLO_SUBTRACT", kHloTwo),
    hlo_same<"Tanh">("STABLEHLO_TANH", kHloCurve),
    hlo("STABLEHLO_CBRT", specials_per_output<1>, kHloOne),
    hlo("STABLEHLO_RSQRT", hlo_rsqrt_cost, kHloRsqrt),
    hlo("STABLEHLO_SHIFT_LEFT", adds_per_output<1>, kHloTwo),
    hlo("STABLEHLO_CLAMP", hlo_clamp_cost, kHloClamp),
    hlo("STABLEHLO_COMPARE", adds_per_output<1>, kHloCompare),
    hlo_same<"Where">("STABLEHLO_SELECT", kHloSelect),
    hlo("STABLEHLO_BROADCAST_IN_DIM", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_CONCATENATE", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_CONVERT", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_DYNAMIC_SLICE", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_DYNAMIC_UPDATE_SLICE", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_GATHER", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_IOTA", no_arithmetic, kHloIota),
    hlo("STABLEHLO_PAD", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_RESHAPE", view_of_input, kHloMoved),
    hlo("STABLEHLO_SLICE", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_TRANSPOSE", no_arithmetic, kHloMoved),
    hlo("STABLEHLO_DOT_GENERAL", hlo_dot_cost, kHloDot,
        {.kind = LayerKind::MatMul, .product = Product::Other}),
    hlo("STABLEHLO_CONVOLUTION", hlo_convolution_cost, kHloConvolution,
        {.kind = LayerKind::Other, .product = Product::Other, .weights = 1}),
};

}  // namespace

std::span<const OpRule> tflite_stablehlo_rules() { return kTfliteStablehloRules; }

}  // namespace strata
