// Normalizations of PyTorch: input, weight, bias, and for a batch's the running mean and variance.
#include <array>

#include "ops/aten_rows.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

Tensor of_channels(const NodeView& c) {
  return tensor_of(c.dtype(0), {c.rank(0) < 2 ? Expr::unknown() : c.dims(0)[1]});
}

// Weights and statistics that are not there are ones and zeros in ONNX.
void batch_norm(CostContext& c, bool training) {
  const Attribute mode[] = {{"training_mode", std::int64_t{training}}};
  const Tensor channels = of_channels(c);
  add_work(c,
           {.op = "BatchNormalization",
            .inputs = {input_of(c, 0), channels, channels, channels, channels},
            .attributes = mode},
           {{c.out(0)}});
}
void batch_norm_cost(CostContext& c) { batch_norm(c, c.integer("training", 0) != 0 || !c.has(3)); }
void stored_batch_norm_cost(CostContext& c) { batch_norm(c, false); }
void own_batch_norm_cost(CostContext& c) { batch_norm(c, true); }

// With stored statistics an instance's is a batch's.
void instance_norm_cost(CostContext& c) {
  if (c.integer("use_input_stats", 1) == 0) return batch_norm(c, false);
  cost_as(c, "InstanceNormalization");
}

// Over as many of the last axes as `normalized_shape` has.
void over_last_axes(CostContext& c, std::string_view op) {
  const auto axes = static_cast<std::int64_t>(c.integers("normalized_shape").size());
  const bool known = axes > 0;
  const Attribute attributes[] = {{"axis", known ? -axes : std::int64_t{-1}}};
  if (!known && !c.has(1)) return c.cannot_tell("the axes that it normalizes are not known");
  const std::int64_t rank = known ? axes : static_cast<std::int64_t>(c.rank(1));
  const Attribute from_weight[] = {{"axis", -rank}};
  add_work(c,
           {.op = op,
            .inputs = {input_of(c, 0), of_channels(c), input_of(c, 2)},
            .attributes = known ? attributes : from_weight,
            .opset = 23},
           {{c.out(0)}});
}
void layer_norm_cost(CostContext& c) { over_last_axes(c, "LayerNormalization"); }
void rms_norm_cost(CostContext& c) { over_last_axes(c, "RMSNormalization"); }

void native_group_norm_cost(CostContext& c) {
  const Attribute groups[] = {{"num_groups", c.integer("group", 1)}};
  add_work(c,
           {.op = "GroupNormalization",
            .inputs = {input_of(c, 0), of_channels(c), of_channels(c)},
            .attributes = groups,
            .opset = 21},
           {{c.out(0)}});
}

// The gradient of an input: two sums along the set, of the gradient and of its product with the
// standardized input; then each element less both. With weights, each element is multiplied by its
// own before, and the gradients of weight and bias are two more sums.
void norm_backward_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  c.adds({{"elements", count}, {"standardize, two sums, two differences", 5}});
  c.muls({{"elements", count}, {"standardize, product, three scales", 5}});
  const auto asked = c.integers("output_mask");
  if (asked.size() > 1 && asked[1] != 0) {
    c.muls({{"elements", count}, {"weight, product for its gradient", 2}});
    c.adds({{"elements, weight's gradient", count}});
  }
  if (asked.size() > 2 && asked[2] != 0) c.adds({{"elements, bias's gradient", count}});
}

// v·g/‖v‖, with a norm for each element of g.
void weight_norm_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  c.muls({{"elements", count}, {"square, scale", 2}});
  c.adds({{"elements, sum of squares", count}});
  c.specials({{"norms", c.in_elements(1)}, {"root, quotient", 2}});
}

// gradient, v, g, ‖v‖. With s = Σ gradient·v along the norm: g's is s/‖v‖, and v's is
// g/‖v‖·(gradient - v·s/‖v‖²).
void weight_norm_backward_cost(CostContext& c) {
  const Expr count = c.in_elements(0);
  c.muls({{"elements", count}, {"for the sum, v, scale", 3}});
  c.adds({{"elements", count}, {"sum, difference", 2}});
  c.specials({{"norms", c.in_elements(2)}, {"quotients", 3}});
}

constexpr Example kBatchNorm[] = {
    {"f32[1,64,112,112], f32[64], f32[64], f32[64], f32[64]",
     "training=0 momentum=0.1f eps=1e-05f cudnn_enabled=1",
     "f32[1,64,112,112]",
     {.macs = 0, .flops = 1605632}},
    // 24 elements with 7 operations, 3 channels with 5 and 6.
    {"f32[2,3,4], f32[3], f32[3], f32[3], f32[3]",
     "training=1 momentum=0.1f eps=1e-05f",
     "f32[2,3,4]",
     {.macs = 0, .flops = 201}},
};
constexpr Example kLegit[] = {{"f32[2,3,4], f32[3], f32[3], f32[3], f32[3]",
                               "training=1 momentum=0.1f eps=1e-05f",
                               "f32[2,3,4], f32[3], f32[3]",
                               {.macs = 0, .flops = 201}}};
constexpr Example kNoTraining[] = {{"f32[1,64,112,112], f32[64], f32[64], f32[64], f32[64]",
                                    "momentum=0.1f eps=1e-05f",
                                    "f32[1,64,112,112], f32[0], f32[0]",
                                    {.macs = 0, .flops = 1605632}}};
constexpr Example kNoStats[] = {{"f32[2,3,4], f32[3], f32[3]",
                                 "training=1 momentum=0.1f eps=1e-05f",
                                 "f32[2,3,4], f32[3], f32[3]",
                                 {.macs = 0, .flops = 201}}};
constexpr Example kInstanceNorm[] = {{"f32[2,3,4], f32[3], f32[3], _, _",
                                      "use_input_stats=1",
                                      "f32[2,3,4]",
                                      {.macs = 0, .flops = 198}}};
// 98304 elements with 7 operations, 128 rows with 5.
constexpr Example kLayerNorm[] = {{"f32[1,128,768], f32[768], f32[768]",
                                   "normalized_shape=768, eps=1e-05f",
                                   "f32[1,128,768]",
                                   {.macs = 0, .flops = 688768}}};
constexpr Example kNativeLayerNorm[] = {{"f32[1,128,768], f32[768], f32[768]",
                                         "normalized_shape=768, eps=1e-05f",
                                         "f32[1,128,768], f32[1,128,1], f32[1,128,1]",
                                         {.macs = 0, .flops = 688768}}};
constexpr Example kGroupNorm[] = {
    {"f32[2,4,3], f32[4], f32[4]", "num_groups=2", "f32[2,4,3]", {.macs = 0, .flops = 188}}};
constexpr Example kNativeGroupNorm[] = {{"f32[2,4,3], f32[4], f32[4]",
                                         "N=2 C=4 HxW=3 group=2",
                                         "f32[2,4,3], f32[2,2], f32[2,2]",
                                         {.macs = 0, .flops = 188}}};
constexpr Example kRmsNorm[] = {
    {"f32[2,8], f32[8]", "normalized_shape=8,", "f32[2,8]", {.macs = 0, .flops = 72}}};
constexpr Example kFusedRmsNorm[] = {
    {"f32[2,8], f32[8]", "normalized_shape=8,", "f32[2,8], f32[2,1]", {.macs = 0, .flops = 72}}};
// 16 elements with 10 operations, and 4 more with weights and biases.
constexpr Example kLayerNormBackward[] = {{"f32[2,8], f32[2,8], f32[2,1], f32[2,1], f32[8], f32[8]",
                                           "normalized_shape=8, output_mask=1,1,1",
                                           "f32[2,8], f32[8], f32[8]",
                                           {.macs = 0, .flops = 16 * 14}}};
constexpr Example kGroupNormBackward[] = {{"f32[2,4,2], f32[2,4,2], f32[2,2], f32[2,2], f32[4]",
                                           "group=2 output_mask=1,1,1",
                                           "f32[2,4,2], f32[4], f32[4]",
                                           {.macs = 0, .flops = 16 * 14}}};
// 24 elements with 3 operations, 4 norms with 2.
constexpr Example kWeightNormBackward[] = {{"f32[4,6], f32[4,6], f32[4,1], f32[4,1]",
                                            "dim=0",
                                            "f32[4,6], f32[4,1]",
                                            {.macs = 0, .flops = 24 * 5 + 12}}};
constexpr Example kWeightNorm[] = {
    {"f32[4,6], f32[4,1]", "dim=0", "f32[4,6]", {.macs = 0, .flops = 80}}};

constexpr AttributeName kBatchNormAttributes[] = {
    {Attr::Epsilon, "eps", 1e-5F},
    {Attr::Training, "training"},
};
constexpr Traits kBatchNormTraits = {.attributes = kBatchNormAttributes};
constexpr Traits kGradient = {.kind = LayerKind::Other, .norm = {Normalizes::Otherwise}};

constexpr OpRule batch_norm_row(std::string_view name, CostRule cost,
                                std::span<const Example> examples) {
  OpRule rule = aten_as(name, "BatchNormalization", cost, examples, kBatchNormTraits);
  rule.buffers = slots(3, 4);
  return rule;
}

constexpr OpRule kAtenNormRules[] = {
    batch_norm_row("batch_norm", batch_norm_cost, kBatchNorm),
    batch_norm_row("native_batch_norm", batch_norm_cost, kLegit),
    batch_norm_row("cudnn_batch_norm", batch_norm_cost, kLegit),
    batch_norm_row("_native_batch_norm_legit", batch_norm_cost, kLegit),
    batch_norm_row("_native_batch_norm_legit_functional", batch_norm_cost, kLegit),
    batch_norm_row("_native_batch_norm_legit.no_stats", own_batch_norm_cost, kNoStats),
    batch_norm_row("_native_batch_norm_legit_no_training", stored_batch_norm_cost, kNoTraining),
    batch_norm_row("_batch_norm_with_update", own_batch_norm_cost, kLegit),
    batch_norm_row("_batch_norm_no_update", stored_batch_norm_cost, kNoTraining),
    aten_as("instance_norm", "InstanceNormalization", instance_norm_cost, kInstanceNorm),
    aten_as("layer_norm", "LayerNormalization", layer_norm_cost, kLayerNorm),
    aten_as("native_layer_norm", "LayerNormalization", layer_norm_cost, kNativeLayerNorm),
    aten_like("group_norm", "GroupNormalization", kGroupNorm),
    aten_as("native_group_norm", "GroupNormalization", native_group_norm_cost, kNativeGroupNorm),
    aten_as("rms_norm", "RMSNormalization", rms_norm_cost, kRmsNorm),
    aten_as("_fused_rms_norm", "RMSNormalization", rms_norm_cost, kFusedRmsNorm),
    aten("native_layer_norm_backward", norm_backward_cost, kLayerNormBackward, kGradient),
    aten("native_group_norm_backward", norm_backward_cost, kGroupNormBackward, kGradient),
    aten("_weight_norm_interface_backward", weight_norm_backward_cost, kWeightNormBackward,
         kGradient),
    aten("_weight_norm", weight_norm_cost, kWeightNorm,
         {.kind = LayerKind::Other, .norm = {Normalizes::Otherwise, 1}}),
    aten("_weight_norm_interface", weight_norm_cost, kWeightNorm,
         {.kind = LayerKind::Other, .norm = {Normalizes::Otherwise, 1}}),
};

}  // namespace

std::span<const OpRule> aten_norm_rules() { return kAtenNormRules; }

}  // namespace strata
