// ONNX Runtime's multi-head attention operators whose projections are separate nodes, with their
// caches of keys and values.
#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// The places of an operator's inputs; the past value follows the past key.
struct Slots {
  std::size_t bias, mask, score_bias, past_key, past_length;
};
constexpr Slots kMulti{3, 4, 5, 6, 8};
constexpr Slots kMasked{10, 3, 4, 5, 7};

struct Sizes {
  Expr batch, queries, keys;  // keys: the new ones, without the cached ones
  Expr heads, head, value_head;
};

Result<std::int64_t> heads_of(const ShapeContext& c) {
  const std::int64_t heads = c.integer("num_heads", 0);
  if (heads <= 0) return c.error("attribute num_heads must be above 0");
  return heads;
}

// The forms that queries, keys and values come in:
//   query (batch, length, hidden), or all three as (batch, length, heads, 3, head)
//   or, in DecoderMaskedMultiHeadAttention, (batch, 1, 3·hidden);
//   key (batch, length, hidden), both as (batch, length, heads, 2, head), or cached
//   by the encoder as (batch, heads, length, head); value as the key.
Sizes multi_sizes(const NodeView& c) {
  const Expr heads = c.integer("num_heads", 0);
  const TypeInfo& query = c.in(0);
  const TypeInfo& key = c.in(1);
  const TypeInfo& value = c.in(2);
  Sizes sizes{size_at(query, 0), size_at(query, 1), size_at(query, 1), heads, {}, {}};
  if (query.dims.size() == 5) {
    sizes.head = sizes.value_head = size_at(query, 4);
    return sizes;
  }
  const Expr width = size_at(query, 2);
  sizes.head = share_of(c.has(1) ? width : share_of(width, 3), heads);
  sizes.value_head = sizes.head;
  if (c.has(1)) sizes.keys = size_at(key, key.dims.size() == 4 ? 2 : 1);
  if (value.dims.size() == 4) sizes.value_head = size_at(value, 3);
  if (value.dims.size() == 3) sizes.value_head = share_of(size_at(value, 2), heads);
  return sizes;
}

bool shares_cache(const NodeView& c, const Slots& s) {
  return &s == &kMulti ? c.has(s.past_key) && c.has(s.past_length)
                       : c.integer("past_present_share_buffer", 0) != 0;
}

// Past and present are (batch, heads, length, head size).
Dims present_of(const ShapeContext& c, std::size_t past, bool shared, const Sizes& sizes,
                const Expr& head) {
  if (c.rank(past) != 4) return {sizes.batch, sizes.heads, sizes.keys, head};
  Dims dims = c.dims(past);
  if (!shared) dims[2] += sizes.keys;
  return dims;
}

template <const Slots& s>
Status multi_head(ShapeContext& c) {
  if (c.rank(0) != 3 && c.rank(0) != 5)
    return c.error("its query must have 3 axes, or 5 when packed");
  if (const auto heads = heads_of(c); !heads) return failure(heads);
  const Sizes sizes = multi_sizes(c);
  const Expr width =
      c.rank(2) == 3 && c.rank(0) == 3 ? c.dims(2)[2] : sizes.heads * sizes.value_head;
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, width});
  c.scalar_of(s.past_length);  // so that the cost rule knows it
  const bool shared = shares_cache(c, s);
  const Dims key = present_of(c, s.past_key, shared, sizes, sizes.head);
  c.set(3, c.dtype(0), {sizes.batch, sizes.heads, sizes.queries, key[2]});
  c.set(1, c.dtype(0), key);
  c.set(2, c.dtype(0), present_of(c, s.past_key + 1, shared, sizes, sizes.value_head));
  return {};
}

template <const Slots& s>
void multi_head_cost(CostContext& c) {
  const Sizes sizes = multi_sizes(c);
  Expr keys = sizes.keys;
  if (shares_cache(c, s)) {
    if (const auto past = known_scalar(c, s.past_length))
      keys += *past;
    else
      c.at_least("how much of the shared cache is filled is known only at run time");
  } else if (c.has(s.past_key)) {
    keys += size_at(c.in(s.past_key), 2);
  }
  if (c.has(s.bias)) {
    const Expr of_queries = sizes.queries * sizes.head;
    const Expr of_keys = sizes.keys * (sizes.head + sizes.value_head);
    c.adds({{"batch", sizes.batch}, {"heads", sizes.heads}, {"biases", of_queries + of_keys}});
  }
  const int masks = c.has(s.mask) + c.has(s.score_bias) + (c.integer("unidirectional", 0) != 0);
  add_attention(
      c, {sizes.batch, sizes.heads, sizes.queries, keys, sizes.head, sizes.value_head, masks});
}

// Tokens of all sequences one after the other; input 4 has the padded sizes.
Status packed(ShapeContext& c) {
  if (c.rank(0) != 2 && c.rank(0) != 4)
    return c.error("its query must have 2 axes, or 4 when packed");
  if (const auto heads = heads_of(c); !heads) return failure(heads);
  const Dims& query = c.dims(0);
  Expr width = c.rank(0) == 4 ? query[1] * query[3] : query[1];
  if (c.rank(2) == 2) width = c.dims(2)[1];
  c.set(0, c.dtype(0), {query[0], width});
  return {};
}

// Each token is counted against the longest sequence, because the lengths of the others depend on
// data.
void packed_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr tokens = size_at(c.in(0), 0), width = size_at(c.out(0), 1);
  const Expr head =
      c.in(0).dims.size() == 4 ? size_at(c.in(0), 3) : share_of(size_at(c.in(0), 1), heads);
  if (c.has(3)) c.adds({{"tokens", tokens}, {"biases", heads * head * 2 + width}});
  add_attention(c, {1, heads, tokens, size_at(c.in(4), 1), head, share_of(width, heads), c.has(6)});
}

// 12 heads: 128·128·64 products for the scores and the same number for the values.
constexpr Example kMultiHead[] = {
    {"f32[1,128,768], f32[1,128,768], f32[1,128,768]",
     "num_heads=12",
     "f32[1,128,768]",
     {.macs = 2 * 12582912}},
    {"f32[2,10,8], f32[2,7,8], f32[2,7,16], f32[32]",
     "num_heads=2",
     "f32[2,10,16]",
     {.macs = 2 * 10 * 7 * 8 + 2 * 10 * 7 * 16}},
    {"f32[B,S,12,3,64]", "num_heads=12", "f32[B,S,768]"},
    {"f32[1,64,320], f32[1,77,8,2,40]",
     "num_heads=8",
     "f32[1,64,320]",
     {.macs = 2 * 64 * 77 * 320}},
    {"f32[1,1,512], f32[1,8,40,64], f32[1,8,40,64]",
     "num_heads=8",
     "f32[1,1,512]",
     {.macs = 2 * 40 * 512}},
    {"f32[B,S,512], f32[B,S,512], f32[B,S,512], _, _, _, f32[B,8,P,64], f32[B,8,P,64]",
     "num_heads=8", "f32[B,S,512], f32[B,8,P + S,64], f32[B,8,P + S,64]"},
    {"f32[1,1,512], f32[1,1,512], f32[1,1,512], _, _, _, f32[1,8,99,64], f32[1,8,99,64], "
     "i32[1]={9}",
     "num_heads=8",
     "f32[1,1,512], f32[1,8,99,64], f32[1,8,99,64]",
     {.macs = 2 * 10 * 512}},
};
constexpr Example kMaskedMultiHead[] = {
    {"f32[1,1,1536], _, _, _, _, f32[1,8,99,64], f32[1,8,99,64], i32[1]",
     "num_heads=8",
     "f32[1,1,512], f32[1,8,100,64], f32[1,8,100,64], f32[1,8,1,100]",
     {.macs = 2 * 100 * 512}},
    {"f32[1,1,512], f32[1,1,512], f32[1,1,512], _, _, f32[1,8,99,64], f32[1,8,99,64], i32[1]",
     "num_heads=8 past_present_share_buffer=1",
     "f32[1,1,512], f32[1,8,99,64], f32[1,8,99,64]",
     {.macs = 2 * 512}},
};
constexpr Example kPacked[] = {
    {"f32[200,768], f32[200,768], f32[200,768], _, i32[2,128], i32[3]",
     "num_heads=12",
     "f32[200,768]",
     {.macs = 2 * 200 * 128 * 768}},
    {"f32[200,12,3,64], _, _, _, i32[2,128], i32[3]",
     "num_heads=12",
     "f32[200,768]",
     {.macs = 2 * 200 * 128 * 768}},
};
constexpr OpRule kMicrosoftDecoderRules[] = {
    {.name = "MultiHeadAttention",
     .domain = kMicrosoft,
     .shape = multi_head<kMulti>,
     .cost = multi_head_cost<kMulti>,
     .examples = kMultiHead,
     .settings = slots(4, 8, 9),
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "DecoderMaskedMultiHeadAttention",
     .domain = kMicrosoft,
     .shape = multi_head<kMasked>,
     .cost = multi_head_cost<kMasked>,
     .examples = kMaskedMultiHead,
     .settings = slots(3, 7, 8, 9),
     .traits = {.op = Op::Attention}},
    {.name = "PackedMultiHeadAttention",
     .domain = kMicrosoft,
     .shape = packed,
     .cost = packed_cost,
     .examples = kPacked,
     .settings = slots(4, 5),
     .traits = {.op = Op::Attention}},
};

}  // namespace

std::span<const OpRule> microsoft_decoder_rules() { return kMicrosoftDecoderRules; }

}  // namespace strata
