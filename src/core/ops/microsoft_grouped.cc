// ONNX Runtime's attention operators in which several query heads share one head of keys and
// values: grouped-query, sparse and paged, with their caches.
#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Without input 1, queries, keys and values are side by side in the query.
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
  Expr keys;     // current number of keys
  Expr present;  // capacity of the cache
};

// The total length, if known, distinguishes a growing cache from one of fixed size that is being
// filled; if it is an unrelated symbol, the cache is assumed to grow.
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
  c.scalar_of(6);  // so that the cost rule knows it
  const Grouped sizes = grouped_sizes(c);
  const Cache cache = cache_of(c, sizes.keys);
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, sizes.heads * sizes.head});
  for (std::size_t i = 0; i < 2; ++i) {
    // A quantized cache has its own type and a packed last axis.
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

// Keys that a local window hides are counted, too.
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
  c.share_type(1, 3);
  c.share_type(2, 4);
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
  c.share_type(1, 3);
  if (c.has(4)) c.share_type(2, 4);
  return {};
}

void paged_cost(CostContext& c) {
  c.cannot_tell("the lengths of its cached sequences are known only at run time");
}

constexpr Example kGroupedQuery[] = {
    // One token after 127: 32 query heads over 8 of keys and values.
    {"f16[1,1,4096], f16[1,1,1024], f16[1,1,1024], f16[1,8,127,128], f16[1,8,127,128], i32[1], "
     "i32[]={128}",
     "num_heads=32 kv_num_heads=8",
     "f16[1,1,4096], f16[1,8,128,128], f16[1,8,128,128]",
     {.macs = 2 * 128 * 4096}},
    // A cache of fixed size, 128 of which are filled.
    {"f16[1,1,6144], _, _, f16[1,8,2048,128], f16[1,8,2048,128], i32[1], i32[]={128}",
     "num_heads=32 kv_num_heads=8 do_rotary=1",
     "f16[1,1,4096], f16[1,8,2048,128], f16[1,8,2048,128]",
     {.macs = 2 * 128 * 4096}},
    {"f16[B,S,4096], f16[B,S,1024], f16[B,S,1024], f16[B,8,P,128], f16[B,8,P,128], i32[B], i32[]",
     "num_heads=32 kv_num_heads=8", "f16[B,S,4096], f16[B,8,P + S,128], f16[B,8,P + S,128]"},
    {"f16[B,S,4096], f16[B,S,1024], f16[B,S,1024], f16[B,8,2048,128], f16[B,8,2048,128], i32[B], "
     "i32[]={T}",
     "num_heads=32 kv_num_heads=8", "f16[B,S,4096], f16[B,8,2048,128], f16[B,8,2048,128]"},
    // A prompt; nothing is cached yet.
    {"f16[1,16,4096], f16[1,16,1024], f16[1,16,1024], _, _, i32[1], i32[]={16}",
     "num_heads=32 kv_num_heads=8",
     "f16[1,16,4096], f16[1,8,16,128], f16[1,8,16,128]",
     {.macs = 2 * 16 * 16 * 4096}},
    // A 4-bit cache: two values per byte.
    {"f16[1,1,4096], f16[1,1,1024], f16[1,1,1024], u8[1,8,127,64], u8[1,8,127,64], i32[1], "
     "i32[]={128}",
     "num_heads=32 kv_num_heads=8 kv_cache_bit_width=4",
     "f16[1,1,4096], u8[1,8,128,64], u8[1,8,128,64]",
     {.macs = 2 * 128 * 4096}},
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

constexpr OpRule kMicrosoftGroupedRules[] = {
    {.name = "GroupQueryAttention",
     .domain = kMicrosoft,
     .shape = grouped_query,
     .cost = grouped_query_cost,
     .examples = kGroupedQuery,
     .settings = slots(5, 6, 9, 12, 13),
     .buffers = slots(7, 8),
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "SparseAttention",
     .domain = kMicrosoft,
     .shape = sparse,
     .cost = sparse_cost,
     .examples = kSparse,
     .settings = slots(5, 6, 7, 8),
     .buffers = slots(9, 10),
     .traits = {.op = Op::Attention}},
    {.name = "PagedAttention",
     .domain = kMicrosoft,
     .shape = paged,
     .cost = paged_cost,
     .examples = kPaged,
     .settings = slots(5, 6, 7, 10, 14, 15, 16),
     .buffers = slots(8, 9),
     .traits = {.op = Op::Attention}},
};

}  // namespace

std::span<const OpRule> microsoft_grouped_rules() { return kMicrosoftGroupedRules; }

}  // namespace strata
