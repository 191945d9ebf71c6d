// ONNX Runtime's operators around an attention: rotary embeddings, position biases, removing and
// restoring padding, and attention with a recurrent state instead of keys.
#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// batch × length × hidden, or batch × heads × length × head. With rotary_embedding_dim, only that
// much of each head is rotated.
void rotary_cost(CostContext& c) {
  const std::int64_t rotated = c.integer("rotary_embedding_dim", 0);
  const Expr width = size_from_end(c.in(0), 0);
  const Expr head = c.in(0).dims.size() == 4 ? width : share_of(width, c.integer("num_heads", 0));
  const Expr count = c.in_elements(0);
  add_rotation(c, rotated > 0 ? share_of(count, head) * rotated : count);
  // Reads one row of cosines and one of sines per token, not the whole tables.
  const Expr tokens = size_at(c.in(0), 0) * size_at(c.in(0), c.in(0).dims.size() == 4 ? 2 : 1);
  c.reads(bytes(count, c.dtype(0)) + bytes(c.in_elements(1), c.dtype(1)) +
          bytes(tokens * size_from_end(c.in(2), 0) * 2, c.dtype(2)));
}

// The sine and cosine of input 0 are computed here; queries and keys come with their rotated
// halves.
Status gemma_rotary(ShapeContext& c) {
  c.share_type(0, 1);
  c.share_type(1, 3);
  return {};
}

void gemma_rotary_cost(CostContext& c) {
  c.specials({{"angles", c.in_elements(0)}, {"sine and cosine", 2}});
  add_rotation(c, c.in_elements(1) + c.in_elements(3));
}

// A table of buckets × heads, indexed by the distance between query and key.
Status relative_bias(ShapeContext& c) {
  if (c.rank(0) != 2) return c.error("its table must be buckets × heads");
  const auto length = [&](std::size_t i) {
    const auto known = c.scalar_of(i);
    return known && !known->is_unknown() ? *known : c.fresh(i == 1 ? "queries" : "keys");
  };
  const Expr queries = length(1), keys = length(2);
  c.set(0, c.dtype(0), {1, c.dims(0)[1], queries, keys});
  return {};
}

// The bucket of each pair: a difference and a logarithm.
void relative_bias_cost(CostContext& c) {
  const Expr pairs = size_at(c.out(0), 2) * size_at(c.out(0), 3);
  c.adds({{"pairs", pairs}, {"distance", 1}});
  c.specials({{"pairs", pairs}, {"logarithm", 1}});
  c.reads(bytes(c.out_elements(0), c.dtype(0)));
}

// Query, its bias, position bias (1, heads, length, length), weights (head, D) and
// their bias, a factor per head; input 6 has the padded sizes of a packed query.
Status gated_bias(ShapeContext& c) {
  const std::size_t sizes = c.has(6) ? 6 : 0;
  if (c.rank(sizes) < 2) return c.error("its query must be batch × length × hidden");
  const Expr &batch = c.dims(sizes)[0], &length = c.dims(sizes)[1];
  c.set(0, c.dtype(0), {batch, c.integer("num_heads", 0), length, length});
  return {};
}

void gated_bias_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr rows = share_of(c.in_elements(0), size_at(c.in(3), 0));  // tokens × heads
  const Expr width = size_at(c.in(3), 1);
  c.adds({{"query", c.in_elements(0)}, {"bias", 1}});
  c.macs({{"tokens and heads", rows}, {"head size", size_at(c.in(3), 0)}, {"gate size", width}});
  c.adds({{"tokens and heads", rows}, {"bias and two sums", width * 2 - 2}});
  add_elementwise(c, "Sigmoid", rows * 2);
  c.muls({{"tokens and heads", rows}, {"products", 2}});
  c.adds({{"tokens and heads", rows}, {"sums", 2}});
  c.muls({{"outputs", c.out_elements(0)}, {"gate", 1}});
}

// Outputs: the tokens of all sequences one after the other, the original position of each, the
// start of each sequence, and the longest length.
Status remove_padding(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its input must be batch × length × hidden");
  const Dims& dims = c.dims(0);
  c.set(0, c.dtype(0), {c.fresh("tokens"), dims[2]});
  c.set(1, DType::I32, {dims[0], dims[1]});
  c.set(2, DType::I32, {dims[0] + 1});
  c.set(3, DType::I32, {1});
  return {};
}

Status restore_padding(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2)
    return c.error("its input must be tokens × hidden and its offsets batch × length");
  c.set(0, c.dtype(0), {c.dims(1)[0], c.dims(1)[1], c.dims(0)[1]});
  return {};
}

// One state of key size × value size per head, updated by every token.
struct Recurrence {
  Expr tokens, query_heads, heads, key, value;
  std::string_view rule;
};

// The state times exp(g); the state's value for this key; the outer product of key and value; the
// answer to the query. Each takes key × value operations per token and head.
void add_recurrence(CostContext& c, const Recurrence& r) {
  const Expr states = r.tokens * r.heads;
  const bool gated = r.rule == "gated" || r.rule == "gated_delta";
  const bool delta = r.rule == "delta" || r.rule == "gated_delta";
  if (gated) {
    c.specials({{"tokens and heads", states}, {"decay", 1}});
    c.muls({{"tokens and heads", states}, {"key size", r.key}, {"value size", r.value}});
  }
  if (delta) {
    c.macs({{"tokens and heads", states}, {"key size", r.key}, {"value size", r.value}});
    c.adds({{"tokens and heads", states}, {"value less what is held", r.value}});
    c.muls({{"tokens and heads", states}, {"update rate", r.value}});
  }
  c.macs({{"tokens and heads", states}, {"key size", r.key}, {"value size", r.value}});
  const Expr answers = r.tokens * max(r.query_heads, r.heads);
  c.macs({{"answers", answers}, {"key size", r.key}, {"value size", r.value}});
  c.muls({{"answers", answers}, {"scaled", r.value}});
}

// Heads are side by side: batch × length × (heads · size). The state is (batch, heads, key, value);
// `state_window` keeps the states of several tokens.
Recurrence linear_sizes(const NodeView& c) {
  const Expr query_heads = c.integer("q_num_heads", 0), heads = c.integer("kv_num_heads", 0);
  return {size_at(c.in(0), 0) * size_at(c.in(0), 1),
          query_heads,
          heads,
          share_of(size_at(c.in(0), 2), query_heads),
          share_of(size_at(c.in(2), 2), heads),
          c.text("update_rule", "gated_delta")};
}

Status linear_attention(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(2) != 3) return c.error("its query and value must have 3 axes");
  if (c.integer("q_num_heads", 0) <= 0 || c.integer("kv_num_heads", 0) <= 0)
    return c.error("attributes q_num_heads and kv_num_heads must be above 0");
  const Recurrence sizes = linear_sizes(c);
  const Expr &batch = c.dims(0)[0], &length = c.dims(0)[1];
  c.set(0, c.dtype(0), {batch, length, max(sizes.query_heads, sizes.heads) * sizes.value});
  Dims state{batch, sizes.heads, sizes.key, sizes.value};
  if (const std::int64_t kept = c.integer("state_window", 0); kept > 0) state.insert(0, kept);
  c.set(1, c.has(3) ? c.dtype(3) : c.dtype(0), std::move(state));
  return {};
}

void linear_attention_cost(CostContext& c) { add_recurrence(c, linear_sizes(c)); }

// tokens × heads × size, or batch × length × heads × size. The state is
// (batch, heads, value, key), always in float 32.
Recurrence delta_sizes(const NodeView& c) {
  const Expr query_heads = size_from_end(c.in(0), 1), heads = size_from_end(c.in(2), 1);
  const Expr key = size_from_end(c.in(0), 0);
  return {share_of(c.in_elements(0), query_heads * key),
          query_heads,
          heads,
          key,
          size_from_end(c.in(2), 0),
          c.text("update_rule", "gated_delta")};
}

Status delta_net(ShapeContext& c) {
  if (c.rank(0) < 3 || c.rank(2) != c.rank(0) || c.rank(1) < 3)
    return c.error("its query, key and value must have 3 axes, or 4");
  const Recurrence sizes = delta_sizes(c);
  Dims dims = c.dims(2);
  dims[dims.size() - 2] = max(sizes.query_heads, sizes.heads);
  c.set(0, c.dtype(0), std::move(dims));
  Expr batch = size_at(c.in(6), 0);
  if (!c.has(6) && c.has(3)) batch = size_at(c.in(3), 0) - 1;
  if (batch.is_unknown()) batch = c.rank(0) == 4 ? c.dims(0)[0] : c.fresh("batch");
  c.set(1, DType::F32, {batch, sizes.heads, sizes.value, sizes.key});
  const Expr update =
      sizes.heads + size_from_end(c.in(1), 1) * sizes.key + sizes.heads * sizes.value;
  c.set(2, DType::F32, {batch, update * c.integer("state_update_capacity", 0)});
  return {};
}

void delta_net_cost(CostContext& c) {
  if (c.integer("qk_l2_norm", 0) != 0) {
    const Expr count = c.in_elements(0) + c.in_elements(1);
    c.muls({{"queries and keys", count}, {"square, scale", 2}});
    c.adds({{"queries and keys", count}, {"sum", 1}});
  }
  add_recurrence(c, delta_sizes(c));
}

constexpr Example kRotary[] = {
    {"f32[1,8,128], i64[1,8], f32[512,16], f32[512,16]", "", "f32[1,8,128]", {.flops = 1024 * 3}},
    // 8 of 32 in each of 4 heads.
    {"f32[1,8,128], i64[1,8], f32[512,4], f32[512,4]",
     "num_heads=4 rotary_embedding_dim=8",
     "f32[1,8,128]",
     {.flops = 256 * 3}},
    {"f16[B,32,S,128], i64[B,S], f16[4096,64], f16[4096,64]", "", "f16[B,32,S,128]"},
};
constexpr Example kMRotary[] = {
    {"f32[1,8,128], i64[3,1,8], f32[512,16], f32[512,16]",
     "mrope_section=4,6,6",
     "f32[1,8,128]",
     {.flops = 1024 * 3}},
};
constexpr Example kGemmaRotary[] = {
    {"f32[1,8,16], f16[1,4,8,16], f16[1,4,8,16], f16[1,2,8,16], f16[1,2,8,16]",
     "",
     "f16[1,4,8,16], f16[1,2,8,16]",
     {.flops = 256 + 768 * 3}},
};
constexpr Example kRelative[] = {
    {"f32[32,12], i64[]={10}, i64[]={20}", "max_distance=128", "f32[1,12,10,20]", {.flops = 400}},
    {"f32[32,12], i64[]={S}, i64[]={S}", "max_distance=128", "f32[1,12,S,S]"},
    {"f32[32,12], i64[], i64[]", "max_distance=128", "f32[1,12,queries,keys]"},
};
constexpr Example kGatedBias[] = {
    {"f32[2,10,32], f32[32], f32[1,4,10,10], f32[8,6], f32[6], f32[1,4,1,1]",
     "num_heads=4",
     "f32[2,4,10,10]",
     {.macs = 80 * 8 * 6}},
    {"f32[15,32], f32[32], f32[1,4,10,10], f32[8,6], f32[6], f32[1,4,1,1], i32[2,10]",
     "num_heads=4",
     "f32[2,4,10,10]",
     {.macs = 60 * 8 * 6}},
};
constexpr Example kRemove[] = {
    {"f32[2,10,8], i32[2]", "", "f32[tokens,8], i32[2,10], i32[3], i32[1]", {.flops = 0}},
};
constexpr Example kRestore[] = {{"f32[T,8], i32[2,10]", "", "f32[2,10,8]"}};
// 10 tokens, 2 heads, 4×3 states: update, retrieval and answer.
constexpr Example kLinear[] = {
    {"f32[1,10,8], f32[1,10,8], f32[1,10,6], f32[1,2,4,3], f32[1,10,2], f32[1,10,2]",
     "q_num_heads=2 kv_num_heads=2",
     "f32[1,10,6], f32[1,2,4,3]",
     {.macs = 3 * 240}},
    {"f16[B,T,8], f16[B,T,4], f16[B,T,3]",
     "q_num_heads=2 kv_num_heads=1 update_rule=\"linear\" state_window=2",
     "f16[B,T,6], f16[2,B,1,4,3]"},
};
// Without decay and update rate there are only the update and the answer.
constexpr Example kOwnLinear[] = {
    {"f32[1,10,8], f32[1,10,8], f32[1,10,6]",
     "q_num_heads=2 kv_num_heads=2 update_rule=\"linear\"",
     "f32[1,10,6], f32[1,2,4,3]",
     {.macs = 2 * 240}},
    {"f16[B,T,8], f16[B,T,8], f16[B,T,6], f32[B,2,4,3], f16[B,T,2], f16[B,T,2]",
     "q_num_heads=2 kv_num_heads=2", "f16[B,T,6], f32[B,2,4,3]"},
};
constexpr Example kDelta[] = {
    {"f16[10,2,4], f16[10,2,4], f16[10,2,3], _, f32[10,2], f32[10,2], f32[1,2,3,4]",
     "",
     "f16[10,2,3], f32[1,2,3,4]",
     {.macs = 3 * 240}},
    {"f16[10,2,4], f16[10,2,4], f16[10,4,3], i32[4]", "state_update_capacity=2",
     "f16[10,4,3], f32[3,4,3,4], f32[3,48]"},
};

constexpr OpRule kMicrosoftPositionRules[] = {
    {.name = "RotaryEmbedding",
     .domain = kMicrosoft,
     .shape = like_input,
     .cost = rotary_cost,
     .examples = kRotary,
     .settings = slots(1),
     .buffers = slots(2, 3)},
    {.name = "MRotaryEmbedding",
     .domain = kMicrosoft,
     .shape = like_input,
     .cost = rotary_cost,
     .examples = kMRotary,
     .settings = slots(1),
     .buffers = slots(2, 3)},
    {.name = "GemmaRotaryEmbedding",
     .domain = kMicrosoft,
     .shape = gemma_rotary,
     .cost = gemma_rotary_cost,
     .examples = kGemmaRotary},
    {.name = "RelativePositionBias",
     .domain = kMicrosoft,
     .shape = relative_bias,
     .cost = relative_bias_cost,
     .examples = kRelative,
     .settings = slots(1, 2)},
    {.name = "GatedRelativePositionBias",
     .domain = kMicrosoft,
     .shape = gated_bias,
     .cost = gated_bias_cost,
     .examples = kGatedBias,
     .settings = slots(6)},
    {.name = "RemovePadding",
     .domain = kMicrosoft,
     .shape = remove_padding,
     .cost = no_arithmetic,
     .examples = kRemove,
     .settings = slots(1)},
    {.name = "RestorePadding",
     .domain = kMicrosoft,
     .shape = restore_padding,
     .cost = no_arithmetic,
     .examples = kRestore,
     .settings = slots(1)},
    {.name = "LinearAttention",
     .domain = kMicrosoft,
     .shape = linear_attention,
     .cost = linear_attention_cost,
     .examples = kLinear,
     .traits = {.op = Op::Attention}},
    // ONNX's own keeps one state.
    {.name = "LinearAttention",
     .since = 27,
     .shape = linear_attention,
     .cost = linear_attention_cost,
     .examples = kOwnLinear,
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "GatedDeltaNet",
     .domain = kMicrosoft,
     .shape = delta_net,
     .cost = delta_net_cost,
     .examples = kDelta,
     .settings = slots(3, 9, 10)},
};

}  // namespace

std::span<const OpRule> microsoft_position_rules() { return kMicrosoftPositionRules; }

}  // namespace strata
