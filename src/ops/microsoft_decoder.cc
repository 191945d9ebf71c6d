// ONNX Runtime's attentions whose projections are nodes of their own: multi-head,
// grouped-query, packed, sparse and paged, with their caches of keys and values.
#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {


// Where one operator has what; the past value follows the past key.
struct Slots {
  std::size_t bias, mask, score_bias, past_key, past_length;
};
constexpr Slots kMulti{3, 4, 5, 6, 8};
constexpr Slots kMasked{10, 3, 4, 5, 7};

struct Sizes {
  Expr batch, queries, keys;  // keys: the new ones, without what is cached
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
  if (c.rank(0) != 3 && c.rank(0) != 5) return c.error("its query must have 3 axes, or 5 when packed");
  if (const auto heads = heads_of(c); !heads) return tl::unexpected(heads.error());
  const Sizes sizes = multi_sizes(c);
  const Expr width =
      c.rank(2) == 3 && c.rank(0) == 3 ? c.dims(2)[2] : sizes.heads * sizes.value_head;
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, width});
  c.scalar_of(s.past_length);  // known to the cost rule from here on
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
    if (const auto past = known_scalar(c, s.past_length)) keys += *past;
    else c.at_least("how much of the shared cache is filled is known only at run time");
  } else if (c.has(s.past_key)) {
    keys += size_at(c.in(s.past_key), 2);
  }
  if (c.has(s.bias)) {
    const Expr of_queries = sizes.queries * sizes.head;
    const Expr of_keys = sizes.keys * (sizes.head + sizes.value_head);
    c.adds({{"batch", sizes.batch}, {"heads", sizes.heads}, {"biases", of_queries + of_keys}});
  }
  const int masks = c.has(s.mask) + c.has(s.score_bias) + (c.integer("unidirectional", 0) != 0);
  add_attention(c, {sizes.batch, sizes.heads, sizes.queries, keys, sizes.head, sizes.value_head,
                    masks});
}

// Tokens of all sequences one after the other; input 4 has the padded sizes.
Status packed(ShapeContext& c) {
  if (c.rank(0) != 2 && c.rank(0) != 4) return c.error("its query must have 2 axes, or 4 when packed");
  if (const auto heads = heads_of(c); !heads) return tl::unexpected(heads.error());
  const Dims& query = c.dims(0);
  Expr width = c.rank(0) == 4 ? query[1] * query[3] : query[1];
  if (c.rank(2) == 2) width = c.dims(2)[1];
  c.set(0, c.dtype(0), {query[0], width});
  return {};
}

// Each token is counted against the longest sequence: the lengths of the others
// are data.
void packed_cost(CostContext& c) {
  const Expr heads = c.integer("num_heads", 0);
  const Expr tokens = size_at(c.in(0), 0), width = size_at(c.out(0), 1);
  const Expr head = c.in(0).dims.size() == 4 ? size_at(c.in(0), 3) : share_of(size_at(c.in(0), 1), heads);
  if (c.has(3)) c.adds({{"tokens", tokens}, {"biases", heads * head * 2 + width}});
  add_attention(c, {1, heads, tokens, size_at(c.in(4), 1), head, share_of(width, heads), c.has(6)});
}

// Grouped queries: several query heads share one head of keys and values. Without
// input 1 all three lie side by side in the query.
struct Grouped {
  Expr batch, queries, keys, heads, kv_heads, head;
};

Grouped grouped_sizes(const NodeView& c) {
  const Expr heads = c.integer("num_heads", 0), kv_heads = c.integer("kv_num_heads", 0);
  const Expr in_query = c.has(1) ? heads : heads + kv_heads * 2;
  return {size_at(c.in(0), 0),
          size_at(c.in(0), 1),
          size_at(c.in(c.has(1) ? 1 : 0), 1),
          heads,
          kv_heads,
          share_of(size_from_end(c.in(0), 0), in_query)};
}

struct Cache {
  Expr keys;     // how many keys there are now
  Expr present;  // how many the cache has room for
};

// The total length, where it is known, tells a cache that grows from one of fixed
// size that is filled; where it is an unrelated symbol, the cache is taken to grow.
Cache cache_of(const NodeView& c, const Expr& added) {
  if (!c.has(3)) return {added, added};
  const Expr past = size_at(c.in(3), 2);
  const Expr grown = past + added;
  const auto total = known_scalar(c, 6);
  const bool told = total && !total->is_unknown();
  if (c.integer("sliding_window_cache", 0) != 0) return {told ? min(*total, grown) : grown, past};
  if (!told || *total == grown || (past.is_formula() && total->is_formula())) return {grown, grown};
  if (past.is_number() && total->is_number()) return {*total, max(past, *total)};
  if (past.is_number() && !past.is(0)) return {*total, past};
  return {*total, *total};
}

Status check_grouped(const ShapeContext& c, std::size_t rank) {
  if (c.rank(0) != rank) return c.error("its query has the wrong number of axes");
  if (c.integer("num_heads", 0) <= 0 || c.integer("kv_num_heads", 0) <= 0)
    return c.error("attributes num_heads and kv_num_heads must be above 0");
  return {};
}

Status grouped_query(ShapeContext& c) {
  if (auto ok = check_grouped(c, 3); !ok) return ok;
  c.scalar_of(6);  // known to the cost rule from here on
  const Grouped sizes = grouped_sizes(c);
  const Cache cache = cache_of(c, sizes.keys);
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, sizes.heads * sizes.head});
  for (std::size_t i = 0; i < 2; ++i) {
    // A quantized cache has a type and a packed last axis of its own.
    if (c.rank(3 + i) == 4) {
      Dims dims = c.dims(3 + i);
      dims[2] = cache.present;
      c.set(1 + i, c.dtype(3 + i), std::move(dims));
    } else {
      c.set(1 + i, c.dtype(0), {sizes.batch, sizes.kv_heads, cache.present, sizes.head});
    }
  }
  c.set(3, c.dtype(0), {sizes.batch, sizes.heads, sizes.queries, cache.keys});
  return {};
}

// Also the keys that a local window hides are counted.
void grouped_query_cost(CostContext& c) {
  const Grouped sizes = grouped_sizes(c);
  const Expr keys = cache_of(c, sizes.keys).keys;
  const Expr of_queries = sizes.batch * sizes.queries * sizes.heads * sizes.head;
  const Expr of_keys = sizes.batch * sizes.keys * sizes.kv_heads * sizes.head;
  for (std::size_t i = 0; i < 2; ++i)
    if (c.has(14 + i)) {
      const TypeInfo type = TypeInfo::tensor(
          c.dtype(0), {share_of(i == 0 ? of_queries : of_keys, sizes.head), sizes.head});
      add_work(c, {"RMSNormalization", {tensor_of(type), input_of(c, 14 + i)}, {}, 23}, {{type}});
    }
  if (c.integer("do_rotary", 0) != 0) add_rotation(c, of_queries + of_keys);
  const int masks = c.has(10) + (c.integer("causal", 1) != 0);
  add_attention(c, {sizes.batch, sizes.heads, sizes.queries, keys, sizes.head, sizes.head, masks});
  if (c.real("softcap", 0) != 0) {
    const Expr scores = sizes.batch * sizes.heads * sizes.queries * keys;
    c.muls({{"scores", scores}, {"softcap", 2}});
    add_elementwise(c, "Tanh", scores);
  }
}

Status sparse(ShapeContext& c) {
  if (auto ok = check_grouped(c, 3); !ok) return ok;
  const Grouped sizes = grouped_sizes(c);
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, sizes.heads * sizes.head});
  c.set(1, c.in(3));
  c.set(2, c.in(4));
  return {};
}

void sparse_cost(CostContext& c) {
  c.cannot_tell("which blocks it computes is told by its block mask and the length at run time");
}

// Tokens × hidden; the caches are blocks that a table assigns to sequences.
Status paged(ShapeContext& c) {
  if (auto ok = check_grouped(c, 2); !ok) return ok;
  const Grouped sizes = grouped_sizes(c);
  const std::int64_t value_head = c.integer("v_head_size", 0);
  c.set(0, c.dtype(0),
        {c.dims(0)[0], sizes.heads * (value_head > 0 ? Expr(value_head) : sizes.head)});
  c.set(1, c.in(3));
  if (c.has(4)) c.set(2, c.in(4));
  return {};
}

void paged_cost(CostContext& c) {
  c.cannot_tell("the lengths of its cached sequences are known only at run time");
}

// 12 heads: 128·128·64 products for the scores and as many for the values.
constexpr Example kMultiHead[] = {
    {"f32[1,128,768], f32[1,128,768], f32[1,128,768]", "num_heads=12", "f32[1,128,768]",
     {.macs = 2 * 12582912}},
    {"f32[2,10,8], f32[2,7,8], f32[2,7,16], f32[32]", "num_heads=2", "f32[2,10,16]",
     {.macs = 2 * 10 * 7 * 8 + 2 * 10 * 7 * 16}},
    {"f32[B,S,12,3,64]", "num_heads=12", "f32[B,S,768]"},
    {"f32[1,64,320], f32[1,77,8,2,40]", "num_heads=8", "f32[1,64,320]",
     {.macs = 2 * 64 * 77 * 320}},
    {"f32[1,1,512], f32[1,8,40,64], f32[1,8,40,64]", "num_heads=8", "f32[1,1,512]",
     {.macs = 2 * 40 * 512}},
    {"f32[B,S,512], f32[B,S,512], f32[B,S,512], _, _, _, f32[B,8,P,64], f32[B,8,P,64]",
     "num_heads=8", "f32[B,S,512], f32[B,8,P + S,64], f32[B,8,P + S,64]"},
    {"f32[1,1,512], f32[1,1,512], f32[1,1,512], _, _, _, f32[1,8,99,64], f32[1,8,99,64], i32[1]={9}",
     "num_heads=8", "f32[1,1,512], f32[1,8,99,64], f32[1,8,99,64]", {.macs = 2 * 10 * 512}},
};
constexpr Example kMaskedMultiHead[] = {
    {"f32[1,1,1536], _, _, _, _, f32[1,8,99,64], f32[1,8,99,64], i32[1]",
     "num_heads=8", "f32[1,1,512], f32[1,8,100,64], f32[1,8,100,64], f32[1,8,1,100]",
     {.macs = 2 * 100 * 512}},
    {"f32[1,1,512], f32[1,1,512], f32[1,1,512], _, _, f32[1,8,99,64], f32[1,8,99,64], i32[1]",
     "num_heads=8 past_present_share_buffer=1",
     "f32[1,1,512], f32[1,8,99,64], f32[1,8,99,64]", {.macs = 2 * 512}},
};
constexpr Example kPacked[] = {
    {"f32[200,768], f32[200,768], f32[200,768], _, i32[2,128], i32[3]", "num_heads=12",
     "f32[200,768]", {.macs = 2 * 200 * 128 * 768}},
    {"f32[200,12,3,64], _, _, _, i32[2,128], i32[3]", "num_heads=12", "f32[200,768]",
     {.macs = 2 * 200 * 128 * 768}},
};
constexpr Example kGroupedQuery[] = {
    // One token after 127: 32 query heads over 8 of keys and values.
    {"f16[1,1,4096], f16[1,1,1024], f16[1,1,1024], f16[1,8,127,128], f16[1,8,127,128], i32[1], "
     "i32[]={128}",
     "num_heads=32 kv_num_heads=8",
     "f16[1,1,4096], f16[1,8,128,128], f16[1,8,128,128]", {.macs = 2 * 128 * 4096}},
    // A cache of fixed size of which 128 are filled.
    {"f16[1,1,6144], _, _, f16[1,8,2048,128], f16[1,8,2048,128], i32[1], i32[]={128}",
     "num_heads=32 kv_num_heads=8 do_rotary=1",
     "f16[1,1,4096], f16[1,8,2048,128], f16[1,8,2048,128]", {.macs = 2 * 128 * 4096}},
    {"f16[B,S,4096], f16[B,S,1024], f16[B,S,1024], f16[B,8,P,128], f16[B,8,P,128], i32[B], i32[]",
     "num_heads=32 kv_num_heads=8", "f16[B,S,4096], f16[B,8,P + S,128], f16[B,8,P + S,128]"},
    {"f16[B,S,4096], f16[B,S,1024], f16[B,S,1024], f16[B,8,2048,128], f16[B,8,2048,128], i32[B], "
     "i32[]={T}",
     "num_heads=32 kv_num_heads=8", "f16[B,S,4096], f16[B,8,2048,128], f16[B,8,2048,128]"},
    // A prompt, nothing cached yet.
    {"f16[1,16,4096], f16[1,16,1024], f16[1,16,1024], _, _, i32[1], i32[]={16}",
     "num_heads=32 kv_num_heads=8", "f16[1,16,4096], f16[1,8,16,128], f16[1,8,16,128]",
     {.macs = 2 * 16 * 16 * 4096}},
    // 4-bit cache: two values in a byte.
    {"f16[1,1,4096], f16[1,1,1024], f16[1,1,1024], u8[1,8,127,64], u8[1,8,127,64], i32[1], "
     "i32[]={128}",
     "num_heads=32 kv_num_heads=8 kv_cache_bit_width=4",
     "f16[1,1,4096], u8[1,8,128,64], u8[1,8,128,64]", {.macs = 2 * 128 * 4096}},
};
constexpr Example kSparse[] = {
    {"f16[1,1,4096], f16[1,1,1024], f16[1,1,1024], f16[1,8,2048,128], f16[1,8,2048,128], "
     "i32[1,33], i32[1,99], i32[], i32[1]",
     "num_heads=32 kv_num_heads=8 sparse_block_size=64",
     "f16[1,1,4096], f16[1,8,2048,128], f16[1,8,2048,128]"},
};
constexpr Example kPaged[] = {
    {"f16[20,4096], f16[20,1024], f16[20,1024], f16[64,16,8,128], f16[64,16,8,128], i32[4], "
     "i32[3], i32[3,8]",
     "num_heads=32 kv_num_heads=8", "f16[20,4096], f16[64,16,8,128], f16[64,16,8,128]"},
};

constexpr OpRule kRules[] = {
    {.name = "MultiHeadAttention", .domain = kMicrosoft, .shape = multi_head<kMulti>,
     .cost = multi_head_cost<kMulti>, .examples = kMultiHead, .settings = slots(4, 8, 9)},
    {.name = "DecoderMaskedMultiHeadAttention", .domain = kMicrosoft, .shape = multi_head<kMasked>,
     .cost = multi_head_cost<kMasked>, .examples = kMaskedMultiHead, .settings = slots(3, 7, 8, 9)},
    {.name = "PackedMultiHeadAttention", .domain = kMicrosoft, .shape = packed, .cost = packed_cost,
     .examples = kPacked, .settings = slots(4, 5)},
    {.name = "GroupQueryAttention", .domain = kMicrosoft, .shape = grouped_query,
     .cost = grouped_query_cost, .examples = kGroupedQuery, .settings = slots(5, 6, 9, 12, 13),
     .buffers = slots(7, 8)},
    {.name = "SparseAttention", .domain = kMicrosoft, .shape = sparse, .cost = sparse_cost,
     .examples = kSparse, .settings = slots(5, 6, 7, 8), .buffers = slots(9, 10)},
    {.name = "PagedAttention", .domain = kMicrosoft, .shape = paged, .cost = paged_cost,
     .examples = kPaged, .settings = slots(5, 6, 7, 10, 14, 15, 16), .buffers = slots(8, 9)},
};

}  // namespace

std::span<const OpRule> microsoft_decoder_rules() { return kRules; }

}  // namespace strata
