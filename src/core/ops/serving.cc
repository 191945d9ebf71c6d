// Attention that reads a cache, the cache that it appends to, and the logits of tokens.
#include "ops/serving.h"

#include <fmt/format.h>

#include "ops/attend.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// ---- AppendToCache: what is cached of earlier tokens, then parts of the new ones. The cache stays
// in its place, so only the new entries move.

Status append_shape(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its cache must be batch × tokens × entries");
  Dims dims = c.dims(0);
  Expr width = 0;
  for (std::size_t i = 1; i < c.input_count(); ++i) {
    if (c.rank(i) != 3) return c.error("what it appends must be batch × tokens × entries");
    width += c.dims(i)[2];
  }
  if (c.input_count() < 2 || clash(width, dims[2]))
    return c.error(
        fmt::format("entries of {} do not go into a cache of {}", width.text(), dims[2].text()));
  dims[1] = dims[1] + c.dims(1)[1];
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

void append_cost(CostContext& c) {
  Expr added = 0;
  for (std::size_t i = 1; i < c.input_count(); ++i) added += bytes(c.in_elements(i), c.dtype(i));
  c.reads(added);
  c.writes(added);
}

// ---- Pairs of a query and a key.

// Pairs of the first n tokens, if each sees itself and what is before it: all, a window, or its own
// chunk.
Expr first_pairs(const Expr& n, std::int64_t window, bool is_chunked) {
  const auto all = [](const Expr& tokens) { return floor_div(tokens * (tokens + 1), 2); };
  if (window <= 0) return all(n);
  if (!is_chunked) {
    const Expr growing = min(n, window);
    return all(growing) + (n - growing) * window;
  }
  const Expr chunks = floor_div(n, window);
  return chunks * all(window) + all(n - chunks * window);
}

Expr causal_pairs(const Expr& queries, const Expr& keys, std::int64_t window, bool is_chunked) {
  if (keys == queries) return first_pairs(queries, window, is_chunked);
  return first_pairs(keys, window, is_chunked) - first_pairs(keys - queries, window, is_chunked);
}

struct PairWork {
  Expr batch, heads, pairs, head, value_head;
};

void add_pairs(CostContext& c, const PairWork& sizes) {
  c.macs({{"batch", sizes.batch},
          {"heads", sizes.heads},
          {"pairs", sizes.pairs},
          {"head size", sizes.head}});
  c.macs({{"batch", sizes.batch},
          {"heads", sizes.heads},
          {"pairs", sizes.pairs},
          {"value size", sizes.value_head}});
  const Expr scores = sizes.batch * sizes.heads * sizes.pairs;
  c.muls({{"scores", scores}, {"scale", 1}});
  c.adds({{"scores", scores}, {"maximum, difference, sum", 3}});
  c.specials({{"scores", scores}, {"exponential, quotient", 2}});
}

// ---- CachedAttention: queries; keys and values, or a cache that has both; sinks.

struct Cached {
  Expr batch, queries, keys;
  std::int64_t heads, head, value, window;
  bool is_chunked;
};

Cached cached_sizes(const NodeView& c) {
  return {size_at(c.in(0), 0),    size_at(c.in(0), 1),         size_at(c.in(1), 1),
          c.integer("heads", 1),  c.integer("head", 1),        c.integer("value", 1),
          c.integer("window", 0), c.integer("chunked", 0) != 0};
}

Status cached_shape(ShapeContext& c) {
  const Cached sizes = cached_sizes(c);
  if (c.rank(0) != 3 || c.rank(1) != 3) return c.error("its inputs must have 3 axes");
  if (clash(c.dims(0)[2], Expr(sizes.heads) * sizes.head))
    return c.error(fmt::format("queries of {} are not {} heads of {}", c.dims(0)[2].text(),
                               sizes.heads, sizes.head));
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, Expr(sizes.heads) * sizes.value});
  return {};
}

// Every pair is counted, as a kernel without a mask computes it.
void cached_cost(CostContext& c) {
  const Cached sizes = cached_sizes(c);
  const bool is_causal = c.integer("causal", 1) != 0;
  add_attention(c, {sizes.batch, sizes.heads, sizes.queries, sizes.keys, sizes.head, sizes.value,
                    is_causal ? 1 : 0});
}

void cached_served(CostContext& c) {
  const Cached sizes = cached_sizes(c);
  if (c.integer("causal", 1) == 0) return cached_cost(c);
  const Expr pairs = causal_pairs(sizes.queries, sizes.keys, sizes.window, sizes.is_chunked);
  add_pairs(c, {sizes.batch, sizes.heads, pairs, sizes.head, sizes.value});
}

// ---- LatentAttention: queries; a cache of one compressed vector for each token, with its rotated
// key; the matrix that expands it.

struct Latent {
  Expr batch, queries, keys;
  std::int64_t heads, head, value, rope, rank, top;

  Expr expansion() const { return Expr(rank) * heads * (head - rope + value); }
};

Latent latent_sizes(const NodeView& c) {
  return {size_at(c.in(0), 0),   size_at(c.in(0), 1),  size_at(c.in(1), 1),
          c.integer("heads", 1), c.integer("head", 1), c.integer("value", 1),
          c.integer("rope", 0),  c.integer("rank", 1), c.integer("top", 0)};
}

Status latent_shape(ShapeContext& c) {
  const Latent sizes = latent_sizes(c);
  if (c.rank(0) != 3 || c.rank(1) != 3) return c.error("its inputs must have 3 axes");
  c.set(0, c.dtype(0), {sizes.batch, sizes.queries, Expr(sizes.heads) * sizes.value});
  return {};
}

// Keys and values are expanded for all tokens, cached ones too.
void latent_cost(CostContext& c) {
  const Latent sizes = latent_sizes(c);
  c.macs({{"batch", sizes.batch}, {"keys", sizes.keys}, {"expansion", sizes.expansion()}});
  add_attention(c,
                {sizes.batch, sizes.heads, sizes.queries, sizes.keys, sizes.head, sizes.value, 1});
}

// A single new token works on the compressed cache ("absorbed"), and only it is expanded. An
// indexer leaves each query its best `top` keys.
void latent_served(CostContext& c) {
  const Latent sizes = latent_sizes(c);
  c.macs({{"batch", sizes.batch}, {"new tokens", sizes.queries}, {"expansion", sizes.expansion()}});
  const Expr pairs = causal_pairs(sizes.queries, sizes.keys, sizes.top, false);
  const bool is_absorbed = sizes.queries.is(1);
  add_pairs(c, {sizes.batch, sizes.heads, pairs, is_absorbed ? sizes.rank + sizes.rope : sizes.head,
                is_absorbed ? sizes.rank : sizes.value});
}

Expr latent_parameters(const NodeView& c, std::size_t input) {
  return input == 2 ? latent_sizes(c).expansion() : c.in_elements(input);
}

// ---- TopKeys: an indexer's queries, its keys, and weights of its heads. Scores all pairs; keeps
// the best keys of each query.

Status top_keys_shape(ShapeContext& c) {
  if (c.rank(0) != 3 || c.rank(1) != 3) return c.error("its inputs must have 3 axes");
  c.set(0, DType::I64, {c.dims(0)[0], c.dims(0)[1], min(c.dims(1)[1], Expr(c.integer("top", 1)))});
  return {};
}

void score_keys(CostContext& c, const Expr& pairs) {
  const Expr batch = size_at(c.in(0), 0), heads = size_from_end(c.in(2), 0);
  c.macs({{"batch", batch}, {"pairs", pairs}, {"heads × size", size_from_end(c.in(0), 0)}});
  c.macs({{"batch", batch}, {"pairs", pairs}, {"weights of heads", heads}});
  c.adds({{"batch", batch}, {"pairs", pairs}, {"rectified heads, comparison", heads + 1}});
}

void top_keys_cost(CostContext& c) { score_keys(c, size_at(c.in(0), 1) * size_at(c.in(1), 1)); }
void top_keys_served(CostContext& c) {
  score_keys(c, causal_pairs(size_at(c.in(0), 1), size_at(c.in(1), 1), 0, false));
}

// ---- TokenLogits: tokens, the matrix of the vocabulary, a bias.

Status logits_shape(ShapeContext& c) {
  if (c.rank(0) != 3) return c.error("its input must be batch × tokens × width");
  c.set(0, c.dtype(0), {c.dims(0)[0], c.dims(0)[1], c.integer("entries", 1)});
  return {};
}

void score_tokens(CostContext& c, const Expr& tokens) {
  c.macs({{"tokens", tokens},
          {"width", size_from_end(c.in(0), 0)},
          {"entries", c.integer("entries", 1)}});
  if (c.has(2)) c.adds({{"tokens", tokens}, {"biases", c.integer("entries", 1)}});
}

void logits_cost(CostContext& c) { score_tokens(c, size_at(c.in(0), 0) * size_at(c.in(0), 1)); }
void logits_served(CostContext& c) { score_tokens(c, size_at(c.in(0), 0)); }

Expr logits_parameters(const NodeView& c, std::size_t input) {
  if (input != 1) return c.in_elements(input);
  return size_from_end(c.in(0), 0) * c.integer("entries", 1);
}

constexpr Example kAppend[] = {
    {"bf16[2,P,256], bf16[2,S,128], bf16[2,S,128]", "", "bf16[2,P + S,256]", {.macs = 0}},
};
constexpr Example kCached[] = {
    // 32 heads of 128 over a prompt of 16 tokens.
    {"bf16[1,16,4096], bf16[1,16,1024], bf16[1,16,1024]",
     "heads=32 head=128 value=128",
     "bf16[1,16,4096]",
     {.macs = 2 * 16 * 16 * 4096}},
    // One token after 127 in a cache of 8 heads.
    {"bf16[1,1,4096], bf16[1,128,2048]",
     "heads=32 head=128 value=128",
     "bf16[1,1,4096]",
     {.macs = 2 * 128 * 4096}},
};
constexpr Example kLatent[] = {
    // 4 tokens are expanded from 8 to 2 heads of 4 + 3, then 2 heads meet in 16 pairs of 6 and 3.
    {"bf16[1,4,12], bf16[1,4,10], bf16[14,8]",
     "heads=2 head=6 value=3 rope=2 rank=8",
     "bf16[1,4,6]",
     {.macs = 4 * 8 * 14 + 2 * 16 * (6 + 3)}},
};
constexpr Example kTopKeys[] = {
    {"bf16[1,4,24], bf16[1,9,8], bf16[1,4,3]", "top=5", "i64[1,4,5]", {.macs = 36 * (24 + 3)}},
};
constexpr Example kLogits[] = {
    {"bf16[2,3,8], bf16[100,8]", "entries=100", "bf16[2,3,100]", {.macs = 2 * 3 * 800}},
};

constexpr OpRule kServingRules[] = {
    {.name = "AppendToCache",
     .domain = kServing,
     .shape = append_shape,
     .cost = append_cost,
     .examples = kAppend},
    {.name = "CachedAttention",
     .domain = kServing,
     .shape = cached_shape,
     .cost = cached_cost,
     .examples = kCached,
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "LatentAttention",
     .domain = kServing,
     .shape = latent_shape,
     .cost = latent_cost,
     .examples = kLatent,
     .parameters = latent_parameters,
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "TopKeys",
     .domain = kServing,
     .shape = top_keys_shape,
     .cost = top_keys_cost,
     .examples = kTopKeys},
    {.name = "TokenLogits",
     .domain = kServing,
     .shape = logits_shape,
     .cost = logits_cost,
     .examples = kLogits,
     .parameters = logits_parameters},
};

struct ServedRule {
  std::string_view name;
  CostRule cost;
};
constexpr ServedRule kServed[] = {
    {"CachedAttention", cached_served},
    {"LatentAttention", latent_served},
    {"TopKeys", top_keys_served},
    {"TokenLogits", logits_served},
};

}  // namespace

std::span<const OpRule> serving_rules() { return kServingRules; }

std::optional<ServedWork> served_work(const Graph& graph, const Node& node) {
  if (node.domain != kServing) return std::nullopt;
  for (const ServedRule& rule : kServed) {
    if (rule.name != node.op) continue;
    CostContext c(graph, node);
    rule.cost(c);
    const Expr macs = c.amount(Work::Mac);
    return ServedWork{
        macs, macs * 2 + c.amount(Work::Add) + c.amount(Work::Mul) + c.amount(Work::Special)};
  }
  return std::nullopt;
}

}  // namespace strata
