// ONNX Runtime's convolutions and pools: with a fused activation and sum, with channels last, or
// with state carried from call to call.
#include "ops/common.h"
#include "ops/conv.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The inner convolution, on data whose channels are the second axis.
Part conv_part(const NodeView& c, bool last) {
  Part part{"Conv", {input_of(c, 0), input_of(c, 1), input_of(c, 2)}, c.node().attributes};
  if (last) part.inputs[0].type = channels_first(std::move(part.inputs[0].type));
  return part;
}

template <bool last>
Status fused_conv(ShapeContext& c) {
  auto type = type_of(c, conv_part(c, last));
  if (!type) return failure(type);
  c.set(0, last ? channels_last(std::move(*type)) : std::move(*type));
  return {};
}

// The convolution, one addition for input Z if present, then the activation.
template <bool last>
void fused_conv_cost(CostContext& c) {
  add_work(c, conv_part(c, last), {{last ? channels_first(c.out(0)) : c.out(0)}});
  if (c.has(3)) c.adds({{"outputs", c.out_elements(0)}, {"sum", 1}});
  add_activation(c, c.text("activation", ""), c.out_elements(0));
}

Part max_pool_part(const NodeView& c, bool last) {
  Part part{"MaxPool", {input_of(c, 0)}, c.node().attributes};
  if (last) part.inputs[0].type = channels_first(std::move(part.inputs[0].type));
  return part;
}

template <bool last>
Status max_pool(ShapeContext& c) {
  auto type = type_of(c, max_pool_part(c, last));
  if (!type) return failure(type);
  c.set(0, last ? channels_last(std::move(*type)) : std::move(*type));
  return {};
}

// MaxpoolWithMask: masked elements are counted, too.
template <bool last>
void max_pool_cost(CostContext& c) {
  add_work(c, max_pool_part(c, last), {{last ? channels_first(c.out(0)) : c.out(0)}});
}

// Input 2 is ConvTranspose's attribute `pads`; input 3 is the bias.
Status conv_transpose_with_pads(ShapeContext& c) {
  Part part{"ConvTranspose", {input_of(c, 0), input_of(c, 1), input_of(c, 3)}, {}};
  std::vector<Attribute> attributes(c.node().attributes.begin(), c.node().attributes.end());
  std::vector<std::int64_t> pads;
  const auto known = c.integers_of(2);
  if (known)
    for (const Expr& pad : *known)
      if (pad.is_number()) pads.push_back(pad.value());
  const bool complete = !c.has(2) || (known && pads.size() == known->size());
  if (c.has(2) && complete) attributes.push_back({"pads", std::span<const std::int64_t>(pads)});
  part.attributes = attributes;
  auto type = type_of(c, part);
  if (!type) return failure(type);
  if (!complete)
    for (std::size_t i = 2; i < type->dims.size(); ++i) type->dims[i] = c.fresh("size");
  c.set(0, std::move(*type));
  return {};
}

void conv_transpose_cost(CostContext& c) {
  add_work(c,
           {"ConvTranspose", {input_of(c, 0), input_of(c, 1), input_of(c, 3)}, c.node().attributes},
           {{c.out(0)}});
}

// Words with a fixed number of characters. Each is embedded by a convolution over its characters, a
// tanh and the maximum over all places. Weights are filters × 1 × window × character size.
Status word_embedding(ShapeContext& c) {
  if (c.rank(0) < 1 || c.rank(1) < 1)
    return c.error("its words and weights need at least one axis");
  Dims dims = c.dims(0);
  dims.back() = c.dims(1)[0];
  c.set(0, c.dtype(1), std::move(dims));
  return {};
}

// Every word is counted at full length; padding in short ones is not subtracted.
void word_embedding_cost(CostContext& c) {
  const Expr places = size_from_end(c.in(0), 0) - size_at(c.in(1), 2) + 1;
  const Expr activations = c.out_elements(0) * places;
  c.macs(
      {{"outputs", c.out_elements(0)}, {"places", places}, {"window", product_from(c.in(1), 1)}});
  c.adds({{"outputs", c.out_elements(0)}, {"places", places}, {"bias", 1}});
  add_elementwise(c, "Tanh", activations);
  c.adds({{"outputs", c.out_elements(0)}, {"comparisons", places - 1}});
}

// Depthwise along the last axis, looking only backwards. The state is the last (window -
// 1)·dilation positions; `state_window` keeps the states of several positions.
Status causal_conv(ShapeContext& c) {
  if (c.rank(0) < 2 || c.rank(1) < 3) return c.error("its input needs 2 axes and its weights 3");
  c.share_type(0, 0);
  const Expr length = (c.dims(1)[c.rank(1) - 1] - 1) * c.integer("dilation", 1);
  Dims state = c.dims(0);
  if (c.integer("channels_last", 0) != 0)
    state[1] = length;
  else
    state.back() = length;
  if (const std::int64_t kept = c.integer("state_window", 0); kept > 0) state.insert(0, kept);
  c.set(1, c.dtype(0), std::move(state));
  return {};
}

void causal_conv_cost(CostContext& c) {
  c.macs({{"outputs", c.out_elements(0)}, {"window", product_from(c.in(1), 2)}});
  const bool packed = c.node().op == "VarlenCausalConvWithState";
  if (c.has(packed ? 3 : 2)) c.adds({{"outputs", c.out_elements(0)}, {"bias", 1}});
  add_activation(c, c.text("activation", "none"), c.out_elements(0));
}

// Sequences of different lengths, one after the other: tokens × channels.
Status packed_causal_conv(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(4) < 1) return c.error("its input needs 2 axes: tokens × channels");
  c.share_type(0, 0);
  c.share_type(1, 4);
  c.set(2, c.dtype(0), {c.dims(4)[0], c.integer("state_update_capacity", 0), c.dims(0)[1]});
  return {};
}

// 64·112·112 outputs with 3·7·7 products each.
constexpr Example kFusedConv[] = {
    {"f32[1,3,224,224], f32[64,3,7,7], f32[64]",
     "strides=2,2 pads=3,3,3,3 activation=\"Relu\"",
     "f32[1,64,112,112]",
     {.macs = 118013952, .flops = 236027904 + 2 * 802816}},
    {"f32[N,8,4,4], f32[8,8,1,1], _, f32[N,8,4,4]", "", "f32[N,8,4,4]"},
    {"f32[1,8,4,4], f32[8,8,1,1], _, f32[1,8,4,4]",
     "",
     "f32[1,8,4,4]",
     {.macs = 1024, .flops = 2048 + 128}},
};
constexpr Example kNhwcConv[] = {
    {"f32[1,224,224,3], f32[64,3,7,7], f32[64]",
     "strides=2,2 pads=3,3,3,3",
     "f32[1,112,112,64]",
     {.macs = 118013952, .flops = 236027904 + 802816}},
};
constexpr Example kNhwcFusedConv[] = {
    {"f16[1,56,56,64], f16[64,64,3,3], f16[64], f16[1,56,56,64]",
     "pads=1,1,1,1 activation=\"Relu\"",
     "f16[1,56,56,64]",
     {.macs = 115605504, .flops = 231211008 + 3 * 200704}},
};
constexpr Example kNhwcMaxPool[] = {
    {"u8[1,112,112,64]",
     "kernel_shape=3,3 strides=2,2 pads=1,1,1,1",
     "u8[1,56,56,64]",
     {.macs = 0}},
};
constexpr Example kMaskedPool[] = {
    {"f32[1,4,8,8], i32[1,4,8,8]", "kernel_shape=2,2 strides=2,2", "f32[1,4,4,4]", {.macs = 0}},
};
// 16·16 input positions, each spread over 32 filters of 2·2, from 64 channels.
constexpr Example kDynamicPads[] = {
    {"f32[1,64,16,16], f32[64,32,2,2], i64[4]={0,0,0,0}",
     "strides=2,2",
     "f32[1,32,32,32]",
     {.macs = 2097152}},
    {"f32[1,64,16,16], f32[64,32,2,2], i64[4]={1,1,1,1}", "strides=2,2", "f32[1,32,30,30]"},
    {"f32[1,64,16,16], f32[64,32,2,2], i64[4]", "strides=2,2", "f32[1,32,size,size_2]"},
};
// 5 words of 10 characters: 8 places of a window of 3, each 3·4 products for 6 filters.
constexpr Example kWords[] = {
    {"i32[5,10], f32[6,1,3,4], f32[6], f32[100,4]", "", "f32[5,6]", {.macs = 5 * 6 * 8 * 12}},
};
constexpr Example kCausalConv[] = {
    {"f32[2,16,10], f32[16,1,4], f32[16], f32[2,16,3]",
     "",
     "f32[2,16,10], f32[2,16,3]",
     {.macs = 1280, .flops = 2560 + 320}},
    {"f32[2,10,16], f32[16,1,4]",
     "channels_last=1 dilation=2 state_window=3",
     "f32[2,10,16], f32[3,2,6,16]",
     {.macs = 1280}},
};
// 2·16·10 outputs with 4 products each, a bias, and x·sigmoid(x) with 4 operations.
constexpr Example kOwnCausalConv[] = {
    {"f32[2,16,10], f32[16,1,4], f32[16], f32[2,16,3]",
     "activation=\"silu\"",
     "f32[2,16,10], f32[2,16,3]",
     {.macs = 1280, .flops = 2560 + 320 + 4 * 320}},
    {"f16[B,16,L], f16[16,1,4]", "", "f16[B,16,L], f16[B,16,3]"},
};
constexpr Example kPackedCausalConv[] = {
    {"f32[T,16], f32[16,1,4], i32[3], _, f32[2,16,3]", "state_update_capacity=4",
     "f32[T,16], f32[2,16,3], f32[2,4,16]"},
};

constexpr OpRule kMicrosoftConvRules[] = {
    {.name = "FusedConv",
     .domain = kMicrosoft,
     .shape = fused_conv<false>,
     .cost = fused_conv_cost<false>,
     .examples = kFusedConv,
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 1,
                .bias = 2,
                .attributes = kConvAttributes}},
    {.name = "NhwcConv",
     .domain = kMicrosoft,
     .shape = fused_conv<true>,
     .cost = fused_conv_cost<true>,
     .examples = kNhwcConv,
     .traits = {.product = Product::Conv,
                .weights = 1,
                .bias = 2,
                .channels_last = true,
                .attributes = kConvAttributes}},
    {.name = "NhwcFusedConv",
     .domain = kMicrosoft,
     .shape = fused_conv<true>,
     .cost = fused_conv_cost<true>,
     .examples = kNhwcFusedConv,
     .traits = {.kind = LayerKind::Conv,
                .product = Product::Conv,
                .weights = 1,
                .bias = 2,
                .channels_last = true,
                .attributes = kConvAttributes}},
    {.name = "NhwcMaxPool",
     .domain = kMicrosoft,
     .shape = max_pool<true>,
     .cost = max_pool_cost<true>,
     .examples = kNhwcMaxPool,
     .traits = {.product = Product::None, .channels_last = true}},
    {.name = "MaxpoolWithMask",
     .domain = kMicrosoft,
     .shape = max_pool<false>,
     .cost = max_pool_cost<false>,
     .examples = kMaskedPool,
     .traits = {.product = Product::None}},
    {.name = "ConvTransposeWithDynamicPads",
     .domain = kMicrosoft,
     .shape = conv_transpose_with_pads,
     .cost = conv_transpose_cost,
     .examples = kDynamicPads,
     .settings = slots(2),
     .traits = {.product = Product::ConvTranspose,
                .weights = 1,
                .bias = 3,
                .attributes = kConvAttributes}},
    {.name = "WordConvEmbedding",
     .domain = kMicrosoft,
     .shape = word_embedding,
     .cost = word_embedding_cost,
     .examples = kWords,
     .traits = {.product = Product::Other}},
    {.name = "CausalConvWithState",
     .domain = kMicrosoft,
     .shape = causal_conv,
     .cost = causal_conv_cost,
     .examples = kCausalConv,
     .traits = {.product = Product::Other, .weights = 1}},
    // ONNX's own has no other layout and no dilation.
    {.name = "CausalConvWithState",
     .since = 27,
     .shape = causal_conv,
     .cost = causal_conv_cost,
     .examples = kOwnCausalConv,
     .traits = {.product = Product::Other, .weights = 1}},
    {.name = "VarlenCausalConvWithState",
     .domain = kMicrosoft,
     .shape = packed_causal_conv,
     .cost = causal_conv_cost,
     .examples = kPackedCausalConv,
     .settings = slots(2, 5),
     .traits = {.product = Product::Other, .weights = 1}},
};

}  // namespace

std::span<const OpRule> microsoft_conv_rules() { return kMicrosoftConvRules; }

}  // namespace strata
