// Activation functions and normalizations of TFLite that are operators of their own.
#include "ops/curves.h"
#include "ops/tflite_rows.h"

namespace strata {

namespace {

// softmax(beta · x)
void tflite_softmax_cost(CostContext& c) {
  if (c.real("beta", 1) != 1) c.muls({{"inputs times beta", c.in_elements(0)}});
  cost_as(c, unchanged(c, "Softmax"));
}

Recast l2_norm(const NodeView& c) {
  Recast other{"LpNormalization"};
  other.inputs = {input_of(c, 0)};
  return other;
}

// The window is `radius` channels to either side.
Recast response_norm(const NodeView& c) {
  Recast other{"LRN"};
  other.inputs = {input_of(c, 0)};
  other.attributes = {{"size", 2 * c.integer("radius", 0) + 1},
                      {"beta", static_cast<float>(c.real("beta", 0))}};
  other.is_image = true;
  return other;
}

void two_bounds_cost(CostContext& c) { adds_per_output<2>(c); }

constexpr Example kTfliteRelu[] = {{"f32[1,8,8,4]", "", "f32[1,8,8,4]", {.macs = 0, .flops = 256}}};
constexpr Example kTfliteBounds[] = {
    {"f32[1,8,8,4]", "", "f32[1,8,8,4]", {.macs = 0, .flops = 512}}};
constexpr Example kTfliteCurve[] = {{"f32[1,8,8,4]", "", "f32[1,8,8,4]", {.macs = 0}}};
constexpr Example kTflitePrelu[] = {{"f32[1,8,8,4], f32[1,1,4]", "", "f32[1,8,8,4]", {.macs = 0}}};
constexpr Example kTfliteSoftmax[] = {{"f32[1,10]", "beta=1.0f", "f32[1,10]", {.macs = 0}}};

// A window of 5 channels.
constexpr Example kTfliteResponse[] = {
    {"f32[1,4,4,6]", "radius=2 beta=0.5f", "f32[1,4,4,6]", {.macs = 0}}};

constexpr Traits clipped(LayerKind kind, float low, float high) {
  Traits traits = {.kind = kind};
  traits.clamp = {.is = true, .low = low, .high = high};
  return traits;
}

constexpr OpRule kTfliteActivationRules[] = {
    tflite_same<"Relu">("RELU", kTfliteRelu),
    tflite("RELU6", "Clip", like_input, two_bounds_cost, kTfliteBounds,
           clipped(LayerKind::ReLU6, 0, 6)),
    tflite("RELU_N1_TO_1", "Clip", like_input, two_bounds_cost, kTfliteBounds,
           clipped(LayerKind::Other, -1, 1)),
    tflite("RELU_0_TO_1", "Clip", like_input, two_bounds_cost, kTfliteBounds,
           clipped(LayerKind::Other, 0, 1)),
    tflite_same<"LeakyRelu">("LEAKY_RELU", kTfliteCurve),
    tflite_same<"PRelu">("PRELU", kTflitePrelu),
    tflite_same<"Elu">("ELU", kTfliteCurve),
    tflite_same<"Gelu", 20>("GELU", kTfliteCurve),
    tflite_same<"HardSwish">("HARD_SWISH", kTfliteCurve),
    tflite_same<"Sigmoid">("LOGISTIC", kTfliteCurve),
    tflite_same<"Tanh">("TANH", kTfliteCurve),
    tflite("SOFTMAX", "Softmax", like_input, tflite_softmax_cost, kTfliteSoftmax),
    tflite_same<"LogSoftmax">("LOG_SOFTMAX", kTfliteSoftmax),
    tflite_as<"LpNormalization", l2_norm>("L2_NORMALIZATION", kTfliteCurve),
    tflite_as<"LRN", response_norm>("LOCAL_RESPONSE_NORMALIZATION", kTfliteResponse),
};

}  // namespace

std::span<const OpRule> tflite_activation_rules() { return kTfliteActivationRules; }

}  // namespace strata
