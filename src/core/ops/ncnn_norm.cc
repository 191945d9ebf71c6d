// Normalizations of ncnn. The network's conversion left out scales that are all one.
#include "ops/ncnn_rows.h"

namespace strata {

namespace {

template <Word onnx>
Recast over_last_axis(const NodeView& c) {
  Recast other = unchanged(c, onnx.view(), 23);
  other.attributes.push_back({"axis", std::int64_t{-1}});
  return other;
}
// Input 1, the scale, is stored.
void ncnn_normalize_cost(CostContext& c) {
  Recast other{"LpNormalization"};
  other.inputs = {input_of(c, 0)};
  cost_as(c, other);
  if (c.has(1)) c.muls({{"outputs times scale", c.out_elements(0)}});
}

constexpr Example kNcnnBatchNorm[] = {{"f32[1,4,8,8], f32[4], f32[4], f32[4], f32[4]",
                                       "",
                                       "f32[1,4,8,8]",
                                       {.macs = 0, .flops = 512}}};
constexpr Example kNcnnPerChannel[] = {
    {"f32[1,4,8,8], f32[4], f32[4]", "", "f32[1,4,8,8]", {.macs = 0}}};
constexpr Example kNcnnLayerNorm[] = {
    {"f32[1,8,16], f32[16], f32[16]", "", "f32[1,8,16]", {.macs = 0}}};
constexpr Example kNcnnNorm[] = {{"f32[1,4,8,8]", "", "f32[1,4,8,8]", {.macs = 0}}};
constexpr Example kNcnnLrn[] = {{"f32[1,4,8,8]", "size=5", "f32[1,4,8,8]", {.macs = 0}}};

constexpr OpRule with_buffers(OpRule rule) {
  rule.buffers = slots(3, 4);
  return rule;
}

constexpr OpRule kNcnnNormRules[] = {
    with_buffers(ncnn_each("BatchNorm", "BatchNormalization", kNcnnBatchNorm,
                           cost_of_same<"BatchNormalization">)),
    ncnn_each("InstanceNorm", "InstanceNormalization", kNcnnPerChannel,
              cost_of_same<"InstanceNormalization">),
    ncnn_each("GroupNorm", "GroupNormalization", kNcnnPerChannel,
              cost_of_same<"GroupNormalization", 21>),
    ncnn_each("LayerNorm", "LayerNormalization", kNcnnLayerNorm,
              cost_of<over_last_axis<"LayerNormalization">>),
    ncnn_each("RMSNorm", "RMSNormalization", kNcnnLayerNorm,
              cost_of<over_last_axis<"RMSNormalization">>),
    ncnn_each("LRN", "LRN", kNcnnLrn, cost_of_same<"LRN">),
    ncnn_each("MVN", "MeanVarianceNormalization", kNcnnNorm,
              cost_of_same<"MeanVarianceNormalization">),
    ncnn_each("Normalize", "LpNormalization", kNcnnNorm, ncnn_normalize_cost),
};

}  // namespace

std::span<const OpRule> ncnn_norm_rules() { return kNcnnNormRules; }

}  // namespace strata
