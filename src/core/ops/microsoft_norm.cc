// ONNX Runtime's normalizations: fused with the residual sum before them, with the embeddings that
// precede them, or with the gate after them.
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr int kRmsOpset = 23;

// X, scale, bias; outputs Y, mean, inverse deviation. Y has the type of the scale.
Part layer_norm_part(const NodeView& c) {
  return {"LayerNormalization",
          {input_of(c, 0), input_of(c, 1), input_of(c, 2)},
          c.node().attributes,
          kPartOpset,
          3};
}

Status layer_norm(ShapeContext& c) {
  auto outputs = outputs_of(c, layer_norm_part(c));
  if (!outputs) return failure(outputs);
  if (c.has(1)) (*outputs)[0].type.edit().dtype = c.dtype(1);
  for (std::size_t i = 0; i < 3; ++i) c.set(i, (*outputs)[i].type);
  return {};
}

void layer_norm_cost(CostContext& c) { add_work(c, layer_norm_part(c), {{c.out(0)}}); }

// Like above, without a mean: X, scale; outputs Y, inverse deviation.
Status simplified_layer_norm(ShapeContext& c) {
  auto outputs = outputs_of(c, layer_norm_part(c));
  if (!outputs) return failure(outputs);
  if (c.has(1)) (*outputs)[0].type.edit().dtype = c.dtype(1);
  c.set(0, (*outputs)[0].type);
  c.set(1, (*outputs)[2].type);
  return {};
}

void add_rms_norm(CostContext& c, const TypeInfo& type, std::span<const Attribute> attributes) {
  add_work(c, {"RMSNormalization", {tensor_of(type)}, attributes, kRmsOpset}, {{type}});
}

void simplified_layer_norm_cost(CostContext& c) { add_rms_norm(c, c.in(0), c.node().attributes); }

// Layer normalization over the last axis of a tensor of this type.
void add_layer_norm(CostContext& c, const TypeInfo& type, bool bias) {
  std::vector<Tensor> inputs = {tensor_of(type), tensor_of(type)};
  if (bias) inputs.push_back(tensor_of(type));
  add_work(c, {"LayerNormalization", std::move(inputs)}, {{type}});
}

// Outputs: the normalized sum, its mean and inverse deviation, the sum itself.
Status skip_norm(ShapeContext& c) {
  if (c.rank(0) < 1) return c.error("its input needs at least one axis");
  Dims statistics = c.dims(0);
  statistics.back() = 1;
  c.share_type(0, 0);
  c.set(1, DType::F32, statistics);
  c.set(2, DType::F32, std::move(statistics));
  c.share_type(3, 0);
  return {};
}

// input + skip (+ bias), then the normalization. Beta is input 3, bias input 4.
void skip_layer_norm_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}, {"skip and bias", 1 + c.has(4)}});
  add_layer_norm(c, c.in(0), c.has(3));
}

// No beta: bias is input 3.
void skip_rms_norm_cost(CostContext& c) {
  c.adds({{"elements", c.in_elements(0)}, {"skip and bias", 1 + c.has(3)}});
  add_rms_norm(c, c.in(0), {});
}

// Words, positions and perhaps segments are looked up and added, then normalized. Outputs: the
// result, the length of each sequence without padding, and the sum.
Status embed_norm(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(2) != 2)
    return c.error("its ids must be batch × sequence and its embedding a matrix");
  const bool quantized = c.node().op == "QEmbedLayerNormalization";
  const DType dtype = quantized ? c.dtype(8) : c.dtype(2);  // the type of the scales
  const Dims dims{c.dims(0)[0], c.dims(0)[1], c.dims(2)[1]};
  c.set(0, dtype, dims);
  c.set(1, DType::I32, {c.dims(0)[0]});
  c.set(2, dtype, dims);
  return {};
}

// Reads one row of each table per token, not whole tables.
void embed_norm_cost(CostContext& c) {
  const bool quantized = c.node().op == "QEmbedLayerNormalization";
  const int tables = c.has(4) ? 3 : 2;
  const Expr count = c.out_elements(0);
  if (quantized) {
    c.adds({{"looked up", count * tables}, {"zero point", 1}});
    c.muls({{"looked up", count * tables}, {"scale", 1}});
  }
  c.adds({{"elements", count}, {"embeddings less 1", tables - 1}});
  add_layer_norm(c, c.out(0), c.has(6));
  Expr read = bytes(count * tables, c.dtype(2));
  for (std::size_t i = 0; i < c.input_count(); ++i)
    if (c.has(i) && (i < 2 || i > 4)) read += bytes(c.in_elements(i), c.dtype(i));
  c.reads(read);
}

TypeInfo grouped_type(const NodeView& c) {
  return c.integer("channels_last", 1) != 0 ? channels_first(c.in(0)) : c.in(0);
}

Status group_norm(ShapeContext& c) {
  const Attribute groups[] = {{"num_groups", c.integer("groups", 0)}};
  auto type = type_of(c, {"GroupNormalization",
                          {tensor_of(grouped_type(c)), input_of(c, 1), input_of(c, 2)},
                          groups,
                          21});
  if (!type) return failure(type);
  c.share_type(0, 0);
  c.share_type(1, 0);
  return {};
}

void group_norm_cost(CostContext& c) {
  if (c.has(3)) c.adds({{"elements", c.in_elements(0)}, {"skip and bias", 1 + c.has(4)}});
  const Attribute groups[] = {{"num_groups", c.integer("groups", 0)}};
  const TypeInfo type = grouped_type(c);
  add_work(c, {"GroupNormalization", {tensor_of(type), input_of(c, 1), input_of(c, 2)}, groups, 21},
           {{type}});
  if (c.integer("activation", 0) == 1) add_activation(c, "silu", c.in_elements(0));
}

// The mean of squares is taken over as many elements as there are scales.
void gated_norm_cost(CostContext& c) {
  const Expr set = c.in_elements(1);
  add_rms_norm(c, TypeInfo::tensor(c.dtype(0), {share_of(c.in_elements(0), set), set}), {});
  add_activation(c, "silu", c.in_elements(2));
  c.muls({{"elements", c.in_elements(0)}, {"gate", 1}});
}

// sigmoid(±√|key·query|) of normalized keys and queries, times a value that all copies share;
// output 1 is the same, normalized.
Status engram_gate(ShapeContext& c) {
  c.share_type(0, 0);
  c.share_type(1, 0);
  return {};
}

void engram_gate_cost(CostContext& c) {
  const Expr count = c.in_elements(0), width = size_from_end(c.in(0), 0);
  const Expr rows = share_of(count, width);
  add_rms_norm(c, c.in(0), {});
  add_rms_norm(c, c.in(1), {});
  c.macs({{"rows", rows}, {"width", width}});
  c.muls({{"rows", rows}, {"scale and sign", 2}});
  c.adds({{"rows", rows}, {"absolute value and limit", 2}});
  c.specials({{"rows", rows}, {"root", 1}});
  add_elementwise(c, "Sigmoid", rows);
  c.muls({{"elements", count}, {"gate", 1}});
  if (c.has_output(1)) add_rms_norm(c, c.in(0), {});
}

// 98304 elements with 7 operations and 128 rows with 5; before that, one or two sums.
constexpr Example kLayerNorm[] = {
    {"f32[1,128,768], f32[768], f32[768]", "", "f32[1,128,768]", {.flops = 688768}},
    {"f32[2,3,5], f16[5]", "", "f16[2,3,5], f32[2,3,1], f32[2,3,1]"},
};
// 16 elements with 4 operations, 2 rows with 4.
constexpr Example kSimplified[] = {
    {"f32[2,8], f32[8]", "", "f32[2,8]", {.flops = 72}},
    {"f16[N,S,64], f16[64]", "axis=-1", "f16[N,S,64], f32[N,S,1]"},
};
constexpr Example kSkip[] = {
    {"f32[1,128,768], f32[1,128,768], f32[768], f32[768], f32[768]",
     "",
     "f32[1,128,768], _, _, f32[1,128,768]",
     {.flops = 688768 + 2 * 98304}},
    {"f16[B,S,64], f16[B,S,64], f16[64]", "", "f16[B,S,64], f32[B,S,1]"},
};
constexpr Example kSkipSimplified[] = {
    {"f32[2,8], f32[2,8], f32[8]", "", "f32[2,8], _, _, f32[2,8]", {.flops = 72 + 16}},
};
constexpr Example kEmbed[] = {
    {"i32[1,128], i32[1,128], f32[30522,768], f32[512,768], f32[2,768], f32[768], f32[768], "
     "i32[1,128]",
     "",
     "f32[1,128,768], i32[1]",
     {.macs = 0, .flops = 688768 + 2 * 98304}},
    {"i32[B,S], _, f16[1000,64], f16[512,64], _, f16[64], f16[64]", "",
     "f16[B,S,64], _, f16[B,S,64]"},
};
constexpr Example kQEmbed[] = {
    {"i32[1,4], _, u8[100,8], u8[16,8], _, u8[8], u8[8], _, f32[], f32[], _, f32[], f32[]",
     "",
     "f32[1,4,8], i32[1]",
     {.flops = 4 * 32 + 32 + 7 * 32 + 5 * 4}},
};
// 24 elements with 7 operations, 4 groups with 5.
constexpr Example kGroup[] = {
    {"f32[2,3,1,4], f32[4], f32[4]", "groups=2 activation=0", "f32[2,3,1,4]", {.flops = 188}},
    {"f32[2,4,3,1], f32[4], f32[4]",
     "groups=2 activation=1 channels_last=0",
     "f32[2,4,3,1]",
     {.flops = 188 + 4 * 24}},
};
constexpr Example kSkipGroup[] = {
    {"f32[2,3,1,4], f32[4], f32[4], f32[2,3,1,4], f32[4]",
     "groups=2 activation=0",
     "f32[2,3,1,4], f32[2,3,1,4]",
     {.flops = 188 + 48}},
};
// 4 rows of 8: 4 operations per element and 4 per row, then 3 + 1 + 1 per element.
constexpr Example kGated[] = {
    {"f32[2,16], f32[8], f32[2,16]", "", "f32[2,16]", {.flops = 4 * 32 + 16 + 5 * 32}},
};
constexpr Example kEngram[] = {
    {"f32[1,3,2,8], f32[1,3,2,8], f32[1,3,8], f32[2,8], f32[2,8]",
     "",
     "f32[1,3,2,8]",
     {.macs = 48}},
};

constexpr OpRule row(std::string_view name, std::string_view domain, ShapeRule shape, CostRule cost,
                     std::span<const Example> examples, std::uint32_t settings = 0, int until = 0) {
  return {.name = name,
          .domain = domain,
          .shape = shape,
          .cost = cost,
          .examples = examples,
          .settings = settings,
          .until = until};
}

// ONNX Runtime had LayerNormalization in ONNX's own domain before ONNX did, and
// SimplifiedLayerNormalization is still there.
constexpr Traits kLayerNormTraits = {.kind = LayerKind::LayerNorm,
                                     .norm = {Normalizes::ByInput, 1, 2}};
constexpr Traits norm_at(std::uint8_t scale, std::uint8_t shift = kNoInput) {
  return {.norm = {Normalizes::ByInput, scale, shift}};
}

constexpr OpRule kMicrosoftNormRules[] = {
    with_traits(row("LayerNormalization", "", layer_norm, layer_norm_cost, kLayerNorm, 0, 16),
                kLayerNormTraits),
    with_traits(row("LayerNormalization", kMicrosoft, layer_norm, layer_norm_cost, kLayerNorm),
                kLayerNormTraits),
    with_traits(row("SimplifiedLayerNormalization", "", simplified_layer_norm,
                    simplified_layer_norm_cost, kSimplified),
                norm_at(1)),
    with_traits(row("SimplifiedLayerNormalization", kMicrosoft, simplified_layer_norm,
                    simplified_layer_norm_cost, kSimplified),
                norm_at(1)),
    with_traits(row("SkipLayerNormalization", kMicrosoft, skip_norm, skip_layer_norm_cost, kSkip),
                norm_at(2, 3)),
    with_traits(row("SkipSimplifiedLayerNormalization", kMicrosoft, skip_norm, skip_rms_norm_cost,
                    kSkipSimplified),
                norm_at(2)),
    with_traits(row("EmbedLayerNormalization", kMicrosoft, embed_norm, embed_norm_cost, kEmbed,
                    slots(0, 1, 7, 8)),
                norm_at(5, 6)),
    with_traits(row("QEmbedLayerNormalization", kMicrosoft, embed_norm, embed_norm_cost, kQEmbed,
                    slots(0, 1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)),
                norm_at(5, 6)),
    with_traits(row("GroupNorm", kMicrosoft, group_norm, group_norm_cost, kGroup), norm_at(1, 2)),
    with_traits(row("SkipGroupNorm", kMicrosoft, group_norm, group_norm_cost, kSkipGroup),
                norm_at(1, 2)),
    with_traits(row("GatedRMSNorm", kMicrosoft, like_input, gated_norm_cost, kGated), norm_at(1)),
    with_traits(row("EngramGate", kMicrosoft, engram_gate, engram_gate_cost, kEngram),
                {.norm = {Normalizes::Otherwise}}),
};

}  // namespace

std::span<const OpRule> microsoft_norm_rules() { return kMicrosoftNormRules; }

}  // namespace strata
