// ONNX Runtime's fusions of elementwise operators: activations with the bias before them, dropouts,
// products of complex numbers.
#include "ops/common.h"
#include "ops/curves.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr Attribute kTanh[] = {{"approximate", std::string_view("tanh")}};

// Input 1, if present, is a bias that is added first.
void add_bias(CostContext& c) {
  if (c.has(1)) c.adds({{"elements", c.in_elements(0)}, {"bias", 1}});
}

void gelu_cost(CostContext& c) {
  add_bias(c);
  add_elementwise(c, "Gelu", c.in_elements(0), 20);
}

void fast_gelu_cost(CostContext& c) {
  add_bias(c);
  add_elementwise(c, "Gelu", c.in_elements(0), 20, kTanh);
}

// x · sigmoid(alpha · x)
void quick_gelu_cost(CostContext& c) {
  if (c.real("alpha", 1.702) != 1) c.muls({{"elements", c.in_elements(0)}, {"alpha", 1}});
  add_activation(c, "silu", c.in_elements(0));
}

void bias_softmax_cost(CostContext& c) {
  add_bias(c);
  add_work(c, {"Softmax", {tensor_of(c.in(0))}}, {{c.in(0)}});
}

// The left half times the Gelu of the right half, after the bias.
Status split_gelu(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs at least one axis");
  Dims dims = c.dims(0);
  dims.back() = share_of(dims.back(), 2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void split_gelu_cost(CostContext& c) {
  add_bias(c);
  add_elementwise(c, "Gelu", c.out_elements(0), 20);
  c.muls({{"outputs", c.out_elements(0)}, {"gate", 1}});
}

// input + bias + skip
void bias_add_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}, {"bias and skip", 2}});
}

// X + Y·gate
void gated_add_cost(CostContext& c) {
  c.muls({{"elements", c.in_elements(0)}, {"gate", 1}});
  c.adds({{"elements", c.in_elements(0)}, {"sum", 1}});
}

// Softplus(a + bias)·scale, and the sigmoid of input 3.
Status attention_gate(ShapeContext& c) {
  c.share_type(0, 0);
  if (c.has(3)) c.share_type(1, 3);
  return {};
}

void attention_gate_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}, {"bias", 1}});
  add_elementwise(c, "Softplus", c.in_elements(0));
  c.muls({{"elements", c.in_elements(0)}, {"scale", 1}});
  if (c.has(3)) add_elementwise(c, "Sigmoid", c.in_elements(3));
}

// Output 1 says which elements are kept: one byte each, or one bit each in 32-bit words.
Status bias_dropout(ShapeContext& c) {
  c.share_type(0, 0);
  c.set(1, DType::Bool, c.dims(0));
  return {};
}

Status bitmask_dropout(ShapeContext& c) {
  c.share_type(0, 0);
  c.set(1, DType::U32, {ceil_div(c.in_elements(0), 32)});
  return {};
}

// Inference drops nothing, so only bias and residual remain.
void bias_dropout_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}, {"bias and residual", 1 + c.has(2)}});
}

// Pairs of real and imaginary parts along the last axis: 4 products and 2 sums per pair.
void complex_product_cost(CostContext& c) {
  c.muls({{"outputs", c.out_elements(0)}, {"products", 2}});
  c.adds({{"outputs", c.out_elements(0)}, {"sums", 1}});
}

void no_repeat_cost(CostContext& c) {
  c.adds({{"tokens", c.in_elements(0)}, {"comparisons", c.integer("ngram_size", 1)}});
}

// The output is like input 1: scores in which repeated n-grams are forbidden.
Status like_scores(ShapeContext& c) {
  c.share_type(0, 1);
  return {};
}

// Counts like the standard Gelu: 5 operations, or 9 in its tanh form.
constexpr Example kGelu[] = {{"f32[2,8]", "", "f32[2,8]", {.macs = 0, .flops = 80}}};
constexpr Example kBiasGelu[] = {
    {"f32[1,128,3072], f32[3072]", "", "f32[1,128,3072]", {.macs = 0, .flops = 393216 * 6}},
};
constexpr Example kFastGelu[] = {
    {"f32[2,8], f32[8]", "", "f32[2,8]", {.macs = 0, .flops = 16 * 10}},
    {"f16[N,8]", "", "f16[N,8]"},
};
constexpr Example kQuickGelu[] = {{"f32[2,8]", "", "f32[2,8]", {.macs = 0, .flops = 16 * 5}}};
constexpr Example kBiasSoftmax[] = {
    {"f32[1,12,8,8], f32[1,1,1,8]",
     "axis=3 is_inner_broadcast=0",
     "f32[1,12,8,8]",
     {.macs = 0, .flops = 768 * 6}},
};
constexpr Example kSplitGelu[] = {
    {"f32[1,4,16], f32[16]", "", "f32[1,4,8]", {.macs = 0, .flops = 64 + 32 * 6}},
    {"f16[N,S,D], f16[D]", "", "f16[N,S,⌊D/2⌋]"},
};
constexpr Example kBiasAdd[] = {
    {"f32[1,4,16], f32[16], f32[1,4,16]", "", "f32[1,4,16]", {.flops = 128}},
};
constexpr Example kGatedAdd[] = {
    {"f32[2,8], f32[2,8], f32[2,1]", "", "f32[2,8]", {.flops = 32}},
};
constexpr Example kAttentionGate[] = {
    {"f32[1,3,8], f32[8], f32[8], f32[1,3,8]",
     "",
     "f32[1,3,8], f32[1,3,8]",
     {.flops = 24 * 5 + 24 * 3}},
};
constexpr Example kBiasDropout[] = {
    {"f32[2,8], f32[8], f32[2,8]", "", "f32[2,8], bool[2,8]", {.flops = 32}},
};
constexpr Example kBitmaskDropout[] = {{"f32[5,8]", "", "f32[5,8], u32[2]", {.flops = 0}}};
constexpr Example kBitmaskBiasDropout[] = {
    {"f32[5,8], f32[8]", "", "f32[5,8], u32[2]", {.flops = 40}},
};
constexpr Example kComplex[] = {
    {"f32[3,4,2], f32[4,2]", "", "f32[3,4,2]", {.flops = 12 * 6}},
};
constexpr Example kNoRepeat[] = {
    {"i64[2,10], f32[2,100]", "ngram_size=3", "f32[2,100]", {.flops = 60}},
};

constexpr OpRule row(std::string_view name, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings = 0) {
  return {.name = name,
          .domain = kMicrosoft,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings};
}

constexpr OpRule kMicrosoftFusedRules[] = {
    with_traits(row("Gelu", like_input, gelu_cost, kGelu),
                {.kind = LayerKind::GELU, .curve = curve::gelu}),
    row("BiasGelu", like_input, gelu_cost, kBiasGelu),
    with_traits(row("FastGelu", like_input, fast_gelu_cost, kFastGelu), {.curve = curve::gelu}),
    with_traits(row("QuickGelu", like_input, quick_gelu_cost, kQuickGelu), {.curve = curve::silu}),
    row("BiasSoftmax", like_input, bias_softmax_cost, kBiasSoftmax),
    row("BiasSplitGelu", split_gelu, split_gelu_cost, kSplitGelu),
    row("BiasAdd", like_input, bias_add_cost, kBiasAdd),
    row("GatedAdd", like_input, gated_add_cost, kGatedAdd),
    with_traits(row("LinearAttentionGate", attention_gate, attention_gate_cost, kAttentionGate),
                {.op = Op::Attention}),
    row("BiasDropout", bias_dropout, bias_dropout_cost, kBiasDropout, slots(3, 4)),
    row("BitmaskDropout", bitmask_dropout, no_arithmetic, kBitmaskDropout, slots(1, 2)),
    row("BitmaskBiasDropout", bitmask_dropout, bias_dropout_cost, kBitmaskBiasDropout, slots(3, 4)),
    row("ComplexMul", broadcast_inputs, complex_product_cost, kComplex),
    row("ComplexMulConj", broadcast_inputs, complex_product_cost, kComplex),
    row("NGramRepeatBlock", like_scores, no_repeat_cost, kNoRepeat),
};

}  // namespace

std::span<const OpRule> microsoft_fused_rules() { return kMicrosoftFusedRules; }

}  // namespace strata
