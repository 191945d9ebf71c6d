// Activation functions of PyTorch. Those that ONNX lacks are counted as torch's exporter writes
// them.
#include "ops/aten_rows.h"
#include "ops/curves.h"
#include "ops/registry.h"

namespace strata {

namespace {

LayerKind clamped_kind(const NodeView& c) {
  const bool six = number_of(c, "min_val", -1) == 0 && number_of(c, "max_val", 1) == 6;
  return six ? LayerKind::ReLU6 : LayerKind::Other;
}

// x·sigmoid(x): a sum, a product, an exponential and a quotient.
void silu_cost(CostContext& c) { work_per_output<1, 1, 2>(c); }

// A slope for each element, drawn anew in training.
void random_relu_cost(CostContext& c) {
  work_per_output<1, 1, 0>(c);
  if (c.integer("training", 0) != 0) c.specials({{"outputs, random slopes", c.out_elements(0)}});
}

// x - max - log(sum(exp(x - max))); the logarithm is taken once per row.
void log_softmax_cost(CostContext& c) {
  work_per_output<4, 0, 1>(c);
  c.specials({{"rows", lines_along(c, "dim")}, {"logarithms each", 1}});
}

constexpr Example kOne[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 6}}};
constexpr Example kTwo[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 12}}};
constexpr Example kThree[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 18}}};
constexpr Example kFour[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 24}}};
constexpr Example kFive[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 30}}};
constexpr Example kSeven[] = {{"f32[2,3]", "", "f32[2,3]", {.macs = 0, .flops = 42}}};
constexpr Example kRelu[] = {
    {"f32[1,64,112,112]", "", "f32[1,64,112,112]", {.macs = 0, .flops = 802816}},
    {"f32[N,8]", "", "f32[N,8]"},
};
constexpr Example kPRelu[] = {{"f32[2,3,4], f32[3]", "", "f32[2,3,4]", {.flops = 48}}};
constexpr Example kRandomRelu[] = {
    {"f32[2,3], f32[2,3]", "training=0", "f32[2,3]", {.macs = 0, .flops = 12}},
    {"f32[2,3], f32[2,3]", "training=1", "f32[2,3]", {.macs = 0, .flops = 18}},
};
constexpr Example kHardtanh[] = {
    {"f32[2,3]", "min_val=0.0f max_val=6.0f", "f32[2,3]", {.macs = 0, .flops = 12}},
};
constexpr Example kGelu[] = {
    {"f32[2,3]", "approximate=\"none\"", "f32[2,3]", {.macs = 0, .flops = 30}},
    {"f32[2,3]", "approximate=\"tanh\"", "f32[2,3]", {.macs = 0, .flops = 54}},
};
// 3 outputs of a sigmoid of 3 operations and a product.
constexpr Example kGlu[] = {{"f32[1,6]", "dim=-1", "f32[1,3]", {.macs = 0, .flops = 12}}};
constexpr Example kSoftmax[] = {
    {"f32[1,1000]", "dim=-1", "f32[1,1000]", {.macs = 0, .flops = 5000}},
};
// 24 elements with 5 operations, and the logarithms of 8 sums.
constexpr Example kLogSoftmax[] = {
    {"f32[2,3,4]", "dim=1", "f32[2,3,4]", {.macs = 0, .flops = 24 * 5 + 8}},
};
constexpr Traits own(LayerKind kind, double (*curve)(double)) {
  Traits traits;
  traits.kind = kind;
  traits.activation = true;
  traits.curve = curve;
  traits.int8 = Int8Use::Soft;
  return traits;
}
// Clips: bounds that attributes give.
constexpr Traits hardtanh_traits() {
  Traits traits = own(LayerKind::Unknown, curve::relu);
  traits.kind_of = clamped_kind;
  traits.clamp = {
      .is = true, .low = -1, .high = 1, .low_attribute = "min_val", .high_attribute = "max_val"};
  return traits;
}
constexpr Traits relu6_traits() {
  Traits traits = own(LayerKind::ReLU6, curve::relu);
  traits.clamp = {.is = true, .low = 0, .high = 6};
  return traits;
}
constexpr AttributeName kSoftmaxAttributes[] = {{Attr::Axis, "dim", -1}};
constexpr Traits kAlongAxis = {.attributes = kSoftmaxAttributes};

constexpr OpRule kAtenActivationRules[] = {
    aten_like("relu", "Relu", kRelu),
    aten("relu6", adds_per_output<2>, kTwo, relu6_traits()),
    aten("hardtanh", adds_per_output<2>, kHardtanh, hardtanh_traits()),
    aten_like("leaky_relu", "LeakyRelu", kTwo),
    aten_like("rrelu", "LeakyRelu", kTwo),
    aten("rrelu_with_noise", random_relu_cost, kRandomRelu, own(LayerKind::Other, curve::relu)),
    aten_like("prelu", "PRelu", kPRelu),
    aten_like("_prelu_kernel", "PRelu", kPRelu),
    aten_like("threshold", "ThresholdedRelu", kOne),
    aten_like("elu", "Elu", kFour),
    aten_like("selu", "Selu", kFive),
    aten_like("celu", "Celu", kSeven),
    aten_like("gelu", "Gelu", kGelu),
    aten("silu", silu_cost, kFour, own(LayerKind::SiLU, curve::silu)),
    aten_like("mish", "Mish", kFive),
    aten_like("sigmoid", "Sigmoid", kThree),
    aten_like("special_expit", "Sigmoid", kThree),
    // the logarithm of a sigmoid
    aten("log_sigmoid", work_per_output<1, 0, 3>, kFour, own(LayerKind::Other, curve::softplus)),
    aten("log_sigmoid_forward", work_per_output<1, 0, 3>, kFour,
         own(LayerKind::Other, curve::softplus)),
    aten_like("hardsigmoid", "HardSigmoid", kFour),
    aten_like("hardswish", "HardSwish", kFive),
    aten_like("tanh", "Tanh", kOne),
    aten_like("softplus", "Softplus", kThree),
    aten_like("hardshrink", "Shrink", kThree),
    aten_like("softshrink", "Shrink", kThree),
    aten("glu", silu_cost, kGlu, own(LayerKind::Other, curve::silu)),
    aten_like("softmax", "Softmax", kSoftmax, kAlongAxis),
    aten_like("_softmax", "Softmax", kSoftmax, kAlongAxis),
    aten_like("_safe_softmax", "Softmax", kSoftmax, kAlongAxis),
    aten_as("log_softmax", "LogSoftmax", log_softmax_cost, kLogSoftmax, kAlongAxis),
    aten_as("_log_softmax", "LogSoftmax", log_softmax_cost, kLogSoftmax, kAlongAxis),
};

}  // namespace

std::span<const OpRule> aten_activation_rules() { return kAtenActivationRules; }

}  // namespace strata
