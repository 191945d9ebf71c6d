// Activation functions of ncnn that are layers of their own.
#include "ops/ncnn_rows.h"

namespace strata {

namespace {

LayerKind relu_kind(const NodeView& c) {
  return c.real("slope", 0) == 0 ? LayerKind::ReLU : LayerKind::LeakyReLU;
}
void ncnn_relu_cost(CostContext& c) {
  add_elementwise(c, c.real("slope", 0) == 0 ? "Relu" : "LeakyRelu", c.out_elements(0));
}
LayerKind ncnn_clip_kind(const NodeView& c) {
  return c.real("min", -1) == 0 && c.real("max", 0) == 6 ? LayerKind::ReLU6 : LayerKind::Other;
}
void ncnn_clip_cost(CostContext& c) { adds_per_output<2>(c); }
void ncnn_prelu_cost(CostContext& c) { add_elementwise(c, "LeakyRelu", c.out_elements(0)); }
void swish_of_ncnn_cost(CostContext& c) { add_activation(c, "silu", c.out_elements(0)); }
// pow(shift + x·scale, power), and likewise with base and exponent, or a logarithm.
void ncnn_power_cost(CostContext& c) {
  if (c.real("scale", 1) != 1) muls_per_output<1>(c);
  if (c.real("shift", 0) != 0) adds_per_output<1>(c);
  if (c.node().op != "Power" || c.real("power", 1) != 1) specials_per_output<1>(c);
}
void ncnn_scale_one_cost(CostContext& c) {
  if (c.real("scale", 1) != 1) muls_per_output<1>(c);
}

Status glu_shape(ShapeContext& c) {
  const auto axis = blob_axis(c.integer("axis", 0), c.rank(0));
  if (!axis) return c.error("it has no such axis");
  Dims dims = c.dims(0);
  dims[*axis] = floor_div(dims[*axis], 2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}
void glu_cost(CostContext& c) {
  add_elementwise(c, "Sigmoid", c.out_elements(0));
  muls_per_output<1>(c);
}

constexpr Example kNcnnRelu[] = {
    {"f32[1,4,8,8]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 256}},
    {"f32[1,4,8,8]", "slope=0.1f", "f32[1,4,8,8]", {.macs = 0, .flops = 512}}};
constexpr Example kNcnnClip[] = {
    {"f32[1,4,8,8]", "min=0.0f max=6.0f", "f32[1,4,8,8]", {.macs = 0, .flops = 512}}};
constexpr Example kNcnnPrelu[] = {
    {"f32[1,4,8,8], f32[4]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 512}}};
constexpr Example kNcnnCurve[] = {{"f32[1,4,8,8]", "", "f32[1,4,8,8]", {.macs = 0}}};
constexpr Example kNcnnOneEach[] = {
    {"f32[1,4,8,8]", "", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};
constexpr Example kNcnnPower[] = {
    {"f32[1,4,8,8]", "power=2.0f scale=3.0f shift=1.0f", "f32[1,4,8,8]", {.macs = 0, .flops = 768}},
    {"f32[1,4,8,8]", "scale=3.0f", "f32[1,4,8,8]", {.macs = 0, .flops = 256}}};
constexpr Example kNcnnDropout[] = {{"f32[1,4]", "", "f32[1,4]", {.macs = 0, .flops = 0}}};
constexpr Example kNcnnGlu[] = {{"f32[1,8,8]", "axis=0", "f32[1,4,8]", {.macs = 0}}};
constexpr Example kNcnnSoftmax[] = {{"f32[1,10]", "axis=0", "f32[1,10]", {.macs = 0}}};

constexpr Traits curve_of(LayerKind kind) { return {.kind = kind}; }

constexpr OpRule kNcnnActivationRules[] = {
    ncnn_each("ReLU", "Relu", kNcnnRelu, ncnn_relu_cost, {.kind_of = relu_kind}),
    ncnn_each("Clip", "Clip", kNcnnClip, ncnn_clip_cost, {.kind_of = ncnn_clip_kind}),
    ncnn_each("PReLU", "PRelu", kNcnnPrelu, ncnn_prelu_cost),
    ncnn_each("Sigmoid", "Sigmoid", kNcnnCurve),
    ncnn_each("TanH", "Tanh", kNcnnCurve),
    ncnn_each("Swish", "", kNcnnCurve, swish_of_ncnn_cost, curve_of(LayerKind::SiLU)),
    ncnn_each("HardSwish", "HardSwish", kNcnnCurve),
    ncnn_each("HardSigmoid", "HardSigmoid", kNcnnCurve),
    ncnn_each("Mish", "Mish", kNcnnCurve),
    ncnn_each("ELU", "Elu", kNcnnCurve),
    ncnn_each("SELU", "Selu", kNcnnCurve),
    ncnn_each("CELU", "Celu", kNcnnCurve),
    ncnn_each("GELU", "Gelu", kNcnnCurve, cost_of_same<"Gelu", 20>),
    ncnn_each("Softplus", "Softplus", kNcnnCurve),
    ncnn_each("BNLL", "Softplus", kNcnnCurve),
    ncnn_each("Erf", "Erf", kNcnnCurve),
    ncnn_each("AbsVal", "Abs", kNcnnOneEach),
    ncnn_each("Threshold", "Greater", kNcnnOneEach, adds_per_output<1>),
    ncnn_each("Shrink", "Shrink", kNcnnCurve),
    ncnn_each("Exp", "Exp", kNcnnOneEach, ncnn_power_cost),
    ncnn_each("Log", "Log", kNcnnOneEach, ncnn_power_cost),
    ncnn_each("Power", "Pow", kNcnnPower, ncnn_power_cost),
    ncnn_each("Dropout", "Dropout", kNcnnDropout, ncnn_scale_one_cost),
    ncnn_each("Softmax", "Softmax", kNcnnSoftmax, cost_of_same<"Softmax">),
    ncnn("GLU", "", glu_shape, glu_cost, kNcnnGlu),
};

}  // namespace

std::span<const OpRule> ncnn_activation_rules() { return kNcnnActivationRules; }

}  // namespace strata
