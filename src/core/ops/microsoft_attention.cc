// ONNX Runtime's attention operators that include their input projections: the weights of Q, K and
// V are side by side in one matrix.
#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

constexpr std::size_t kAbsent = 1000;  // no operator has this many inputs

// The places of an operator's inputs.
struct Slots {
  std::size_t mask, past, score_bias, past_length;
};
constexpr Slots kFloat{3, 4, 5, 6};
constexpr Slots kQuantized{5, 8, kAbsent, kAbsent};

struct Hidden {
  Expr q, k, v;
};

// Taken from the attribute, or a third of the merged weights each.
Hidden hidden_of(const NodeView& c) {
  if (const auto given = c.integers("qkv_hidden_sizes"); given.size() == 3)
    return {given[0], given[1], given[2]};
  const Expr third = share_of(size_at(c.in(1), 1), 3);
  return {third, third, third};
}

Result<std::int64_t> heads_of(const ShapeContext& c) {
  const std::int64_t heads = c.integer("num_heads", 0);
  if (heads <= 0) return c.error("attribute num_heads must be above 0");
  return heads;
}

// Past and present are (2, batch, heads, length, head size).
template <const Slots& s>
Status projected(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(1) != 2)
    return c.error("its input must be batch × sequence × hidden and its weights a matrix");
  if (clash(c.dims(0)[2], c.dims(1)[0])) return c.error("its weights do not fit its input");
  const auto heads = heads_of(c);
  if (!heads) return failure(heads);
  const Hidden hidden = hidden_of(c);
  // If it is quantized, the output has the type of the scales.
  const DType dtype = &s == &kQuantized ? c.dtype(3) : c.dtype(0);
  const Expr& batch = c.dims(0)[0];
  const Expr& length = c.dims(0)[1];
  c.set(0, dtype, {batch, length, hidden.v});
  c.scalar_of(s.past_length);  // so that the cost rule knows it
  if (c.rank(s.past) == 5) {
    Dims present = c.dims(s.past);
    if (c.integer("past_present_share_buffer", 0) == 0) present[3] += length;
    c.set(1, dtype, std::move(present));
  } else {
    c.set(1, dtype, {2, batch, *heads, length, share_of(hidden.k, *heads)});
  }
  return {};
}

// The length of the keys: the cached ones plus the new ones.
Expr keys_of(CostContext& c, const Slots& s, const Expr& length) {
  if (!c.has(s.past)) return length;
  if (c.integer("past_present_share_buffer", 0) == 0) return size_at(c.in(s.past), 3) + length;
  if (const auto past = known_scalar(c, s.past_length)) return *past + length;
  c.at_least("how much of the shared cache is filled is known only at run time");
  return length;
}

void add_projection(CostContext& c, const Expr& tokens, const Expr& input, const Hidden& hidden,
                    bool bias = true) {
  const Expr width = hidden.q + hidden.k + hidden.v;
  c.macs({{"tokens", tokens}, {"input size", input}, {"size of Q, K and V", width}});
  if (bias) c.adds({{"tokens", tokens}, {"biases", width}});
}

template <const Slots& s>
void projected_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr batch = size_at(c.in(0), 0), length = size_at(c.in(0), 1);
  const Hidden hidden = hidden_of(c);
  add_projection(c, batch * length, size_at(c.in(0), 2), hidden, c.has(2));
  if (&s == &kQuantized)
    c.muls({{"tokens", batch * length}, {"rescaled", hidden.q + hidden.k + hidden.v}});
  if (c.integer("do_rotary", 0) != 0) add_rotation(c, batch * length * (hidden.q + hidden.k));
  const int masks = c.has(s.mask) + c.has(s.score_bias) + (c.integer("unidirectional", 0) != 0);
  add_attention(c, {batch, heads, length, keys_of(c, s, length), share_of(hidden.k, heads),
                    share_of(hidden.v, heads), masks});
}

// Tokens of all sequences one after the other, without padding; input 3 has the padded sizes batch
// × sequence.
Status packed(ShapeContext& c) {
  if (c.rank(0) != 2 || c.rank(1) != 2)
    return c.error("its input must be tokens × hidden and its weights a matrix");
  if (const auto heads = heads_of(c); !heads) return failure(heads);
  c.set(0, c.dtype(0), {c.dims(0)[0], hidden_of(c).v});
  return {};
}

// Each token is counted against the longest sequence, because the lengths of the others depend on
// data.
void packed_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Hidden hidden = hidden_of(c);
  add_projection(c, size_at(c.in(0), 0), size_at(c.in(0), 1), hidden);
  add_attention(c, {1, heads, size_at(c.in(0), 0), size_at(c.in(3), 1), share_of(hidden.k, heads),
                    share_of(hidden.v, heads), c.has(5)});
}

// Q, K and V have separate weights: inputs 5, 6, 7.
Status ordered(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(7) != 2)
    return c.error("its input must have 3 axes and its weights 2");
  if (const auto heads = heads_of(c); !heads) return failure(heads);
  c.set(0, c.dtype(0), {c.dims(0)[0], c.dims(0)[1], c.dims(7)[1]});
  return {};
}

void ordered_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr batch = size_at(c.in(0), 0), length = size_at(c.in(0), 1);
  const Hidden hidden{size_at(c.in(5), 1), size_at(c.in(6), 1), size_at(c.in(7), 1)};
  add_projection(c, batch * length, size_at(c.in(0), 2), hidden);
  c.muls({{"tokens", batch * length}, {"rescaled", hidden.q + hidden.k + hidden.v * 2}});
  add_attention(c, {batch, heads, length, length, share_of(hidden.k, heads),
                    share_of(hidden.v, heads), c.has(17) + (c.integer("unidirectional", 0) != 0)});
}

// Every token attends to `window` tokens on each side and to itself. Keys and values of the global
// attention are projected for all tokens; the queries of the global tokens are left out, because
// their number depends on data.
void longformer_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr batch = size_at(c.in(0), 0), length = size_at(c.in(0), 1), width = size_at(c.in(0), 2);
  const Expr reach = c.integer("window", 0);
  add_projection(c, batch * length, width, {width, width, width});
  add_projection(c, batch * length, width, {0, width, width});
  add_attention(c, {batch, heads, length, min(reach * 2 + 1, length), share_of(width, heads),
                    share_of(width, heads), 1});
  c.at_least("the number of its global tokens is known only at run time");
}

// Axes are sequence × batch × hidden. Self-attention projects keys and values from the query and
// appends them to the cache; cross-attention projects them from the key input, or not at all if
// there is a cache. Boolean inputs select between these.
struct DecoderKind {
  std::optional<Expr> cross, use_cache;
};
DecoderKind decoder_kind(const NodeView& c) { return {known_scalar(c, 8), known_scalar(c, 9)}; }

Expr decoder_keys(const NodeView& c, const DecoderKind& kind) {
  if (!kind.cross || !kind.use_cache) return Expr::unknown();
  const bool cross = !kind.cross->is(0), cached = !kind.use_cache->is(0);
  if (cross) return cached ? size_at(c.in(6), 2) : size_at(c.in(1), 0);
  return size_at(c.in(0), 0) + (cached ? size_at(c.in(6), 2) : Expr(0));
}

Status decoder(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its query must be sequence × batch × hidden");
  const auto heads = heads_of(c);
  if (!heads) return failure(heads);
  for (std::size_t i = 8; i < 10; ++i) c.scalar_of(i);
  c.share_type(0, 0);
  Expr keys = decoder_keys(c, decoder_kind(c));
  if (keys.is_unknown()) keys = c.fresh("cache");
  const Dims cache{c.dims(0)[1], *heads, keys, share_of(c.dims(0)[2], *heads)};
  c.set(1, c.dtype(0), cache);
  c.set(2, c.dtype(0), cache);
  return {};
}

void decoder_cost(CostContext& c) {
  const DecoderKind kind = decoder_kind(c);
  const Expr queries = size_at(c.in(0), 0), batch = size_at(c.in(0), 1),
             width = size_at(c.in(0), 2);
  add_projection(c, queries * batch, width, {width, 0, 0});
  if (!kind.cross || !kind.use_cache) {
    c.at_least("whether it attends to itself or to another sequence is known only at run time");
    return;
  }
  const bool cross = !kind.cross->is(0), cached = !kind.use_cache->is(0);
  const Expr projected_length = !cross ? queries : cached ? Expr(0) : size_at(c.in(1), 0);
  add_projection(c, projected_length * batch, width, {0, width, width});
  const Expr heads = c.integer("num_heads", 0);
  add_attention(c, {batch, heads, queries, decoder_keys(c, kind), share_of(width, heads),
                    share_of(width, heads), c.has(5)});
}

// BERT base: 128 tokens × 768 × 2304, then two products of 12·128·128·64.
constexpr Example kAttention[] = {
    {"f32[1,128,768], f32[768,2304], f32[2304], i32[1]",
     "num_heads=12",
     "f32[1,128,768]",
     {.macs = 226492416 + 2 * 12582912}},
    // Self-attention of length 128, width 64.
    {"f32[1,128,64], f32[64,192], f32[192]", "num_heads=4", "f32[1,128,64]", {.macs = 3670016}},
    {"f32[1,1,768], f32[768,2304], f32[2304], i32[1,129], f32[2,1,12,128,64]",
     "num_heads=12 unidirectional=1",
     "f32[1,1,768], f32[2,1,12,129,64]",
     {.macs = 1769472 + 2 * 12 * 129 * 64}},
    {"f32[B,S,768], f32[768,2304], f32[2304], _, f32[2,B,12,P,64]", "num_heads=12",
     "f32[B,S,768], f32[2,B,12,P + S,64]"},
    {"f32[1,1,768], f32[768,2304], f32[2304], _, f32[2,1,12,512,64], _, i32[1]={100}",
     "num_heads=12 past_present_share_buffer=1",
     "f32[1,1,768], f32[2,1,12,512,64]",
     {.macs = 1769472 + 2 * 12 * 101 * 64}},
    {"f32[1,16,32], f32[32,48], f32[48]",
     "num_heads=2 qkv_hidden_sizes=8,8,32",
     "f32[1,16,32]",
     {.macs = 16 * 32 * 48 + 16 * 16 * 8 + 16 * 16 * 32}},
};
constexpr Example kMaskedSelf[] = {
    {"f32[1,1,768], f32[768,2304], f32[2304], _, f32[2,1,12,128,64], _, i32[1]",
     "num_heads=12",
     "f32[1,1,768], f32[2,1,12,129,64]",
     {.macs = 1769472 + 2 * 12 * 129 * 64}},
};
constexpr Example kQAttention[] = {
    {"u8[1,128,768], i8[768,2304], f32[2304], f32[], f32[], i32[1]",
     "num_heads=12",
     "f32[1,128,768]",
     {.macs = 226492416 + 2 * 12582912}},
};
constexpr Example kPacked[] = {
    {"f32[200,768], f32[768,2304], f32[2304], i32[2,128], i32[3]",
     "num_heads=12",
     "f32[200,768]",
     {.macs = 200 * 768 * 2304 + 2 * 200 * 128 * 768}},
};
constexpr Example kOrdered[] = {
    {"i8[1,8,16], f32[], f32[], f32[], f32[], i8[16,16], i8[16,16], i8[16,16], f32[], f32[], "
     "f32[], f32[16], f32[16], f32[16], f32[], f32[], f32[]",
     "num_heads=2",
     "i8[1,8,16]",
     {.macs = 3 * 8 * 16 * 16 + 2 * 8 * 8 * 16}},
};
// 64 tokens of size 8: five projections, then 9 keys of each token.
constexpr Example kLongformer[] = {
    {"f32[1,64,8], f32[8,24], f32[24], f32[1,64], f32[8,24], f32[24], i32[1,64]",
     "num_heads=2 window=4",
     "f32[1,64,8]",
     {.macs = 5 * 64 * 64 + 2 * 64 * 9 * 8}},
};
constexpr Example kOrderedLongformer[] = {
    {"i8[1,64,8], f32[], i8[8,24], f32[], f32[24], f32[], f32[], f16[1,64], i8[8,24], f32[], "
     "f32[24], f32[], i32[1,64], f32[]",
     "num_heads=2 window=4",
     "i8[1,64,8]",
     {.macs = 5 * 64 * 64 + 2 * 64 * 9 * 8}},
};
constexpr Example kDecoder[] = {
    // Self-attention, 3 tokens after 5 cached ones.
    {"f32[3,1,8], f32[3,1,8], f32[8,8], f32[8,16], f32[24], _, f32[1,2,5,4], f32[1,2,5,4], "
     "bool[1]={0}, bool[1]={1}, bool[1]={1}, bool[1]={0}",
     "num_heads=2",
     "f32[3,1,8], f32[1,2,8,4], f32[1,2,8,4]",
     {.macs = 3 * 8 * 24 + 2 * 3 * 8 * 8}},
    {"f32[3,1,8], f32[7,1,8], f32[8,8], f32[8,16], f32[24], _, _, _, bool[1], bool[1]",
     "num_heads=2", "f32[3,1,8], f32[1,2,cache,4], f32[1,2,cache,4]"},
};

constexpr OpRule kMicrosoftAttentionRules[] = {
    {.name = "Attention",
     .domain = kMicrosoft,
     .shape = projected<kFloat>,
     .cost = projected_cost<kFloat>,
     .examples = kAttention,
     .settings = slots(3, 6),
     .traits = {.op = Op::Attention,
                .kind = LayerKind::Attention,
                .product = Product::MatMul,
                .weights = 1}},
    {.name = "DecoderMaskedSelfAttention",
     .domain = kMicrosoft,
     .shape = projected<kFloat>,
     .cost = projected_cost<kFloat>,
     .examples = kMaskedSelf,
     .settings = slots(3, 6, 7, 8),
     .traits = {.op = Op::Attention}},
    {.name = "QAttention",
     .domain = kMicrosoft,
     .shape = projected<kQuantized>,
     .cost = projected_cost<kQuantized>,
     .examples = kQAttention,
     .settings = slots(3, 4, 5, 6, 7),
     .traits = {.op = Op::Attention}},
    {.name = "PackedAttention",
     .domain = kMicrosoft,
     .shape = packed,
     .cost = packed_cost,
     .examples = kPacked,
     .settings = slots(3, 4),
     .traits = {.op = Op::Attention}},
    {.name = "QOrderedAttention",
     .domain = kMicrosoft,
     .shape = ordered,
     .cost = ordered_cost,
     .examples = kOrdered,
     .settings = slots(1, 2, 3, 4, 8, 9, 10, 14, 15, 16, 17),
     .traits = {.op = Op::Attention}},
    {.name = "LongformerAttention",
     .domain = kMicrosoft,
     .shape = like_input,
     .cost = longformer_cost,
     .examples = kLongformer,
     .settings = slots(3, 6),
     .traits = {.op = Op::Attention}},
    {.name = "QOrderedLongformerAttention",
     .domain = kMicrosoft,
     .shape = like_input,
     .cost = longformer_cost,
     .examples = kOrderedLongformer,
     .settings = slots(1, 3, 5, 6, 7, 9, 11, 12, 13),
     .traits = {.op = Op::Attention}},
    {.name = "DecoderAttention",
     .domain = kMicrosoft,
     .shape = decoder,
     .cost = decoder_cost,
     .examples = kDecoder,
     .settings = slots(5, 8, 9, 10, 11),
     .traits = {.op = Op::Attention}},
};

}  // namespace

std::span<const OpRule> microsoft_attention_rules() { return kMicrosoftAttentionRules; }

}  // namespace strata
