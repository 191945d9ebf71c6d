// Attention of PyTorch: query, key and value of (…, heads, length, size), and a mask.
#include "ops/aten_rows.h"
#include "ops/attend.h"
#include "ops/conv.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// Axes before the heads are the batch.
Expr batch_of(const NodeView& c) {
  const std::size_t rank = c.rank(0);
  return rank < 3 ? Expr(1) : product_of(c.in(0), 0, rank - 3);
}
Expr heads_of_query(const NodeView& c) {
  return c.rank(0) < 3 ? Expr(1) : size_from_end(c.in(0), 2);
}

// Each kind of mask is one addition per score.
void scaled_dot_product_cost(CostContext& c) {
  if (c.rank(0) < 2) return c.cannot_tell("the sizes of the query are not known");
  const int masks = (c.has(3) ? 1 : 0) + (c.integer("is_causal", 0) != 0 ? 1 : 0);
  add_attention(
      c, {batch_of(c), heads_of_query(c), size_from_end(c.in(0), 1), size_from_end(c.in(1), 1),
          size_from_end(c.in(0), 0), size_from_end(c.in(2), 0), masks});
}

// The scores are computed again, and so are two products for each of the gradients of scores and
// values, queries and keys: as torch's own counter has it. Each score is scaled, less the row's
// logarithm of sums, an exponential; its gradient is less the row's sum of gradient times output,
// times the score, scaled.
void backward_of_scores(CostContext& c, const Expr& scores, const Expr& rows) {
  const Expr size = size_from_end(c.in(1), 0), value_size = size_from_end(c.in(3), 0);
  c.macs({{"scores", scores}, {"size: again, queries, keys", size * 3}});
  c.macs({{"scores", scores}, {"values' size: scores, values", value_size * 2}});
  c.muls({{"scores", scores}, {"two scales, product", 3}});
  c.adds({{"scores", scores}, {"two differences", 2}});
  c.specials({{"scores, exponentials", scores}});
  c.muls({{"outputs times gradients", rows * value_size}});
  c.adds({{"outputs times gradients, sum", rows * value_size}});
}

// gradient, query, key, value, ….
void scaled_dot_product_backward_cost(CostContext& c) {
  if (c.rank(1) < 2) return c.cannot_tell("the sizes of the query are not known");
  const Expr rows =
      c.rank(1) < 3 ? size_from_end(c.in(1), 1) : product_of(c.in(1), 0, c.rank(1) - 1);
  backward_of_scores(c, rows * size_from_end(c.in(2), 1), rows);
}

// The scores that a block mask lets through, as a recording states them. Without that, each query
// is taken to meet one key.
Expr listed_scores(CostContext& c, std::size_t query) {
  if (const auto scores = c.integer("scores")) return *scores;
  c.at_least("which blocks its mask lists is not known, so each query counts one key");
  return product_of(c.in(query), 0, c.rank(query) - 1);
}
// Functions that change scores are not looked into.
void score_function(CostContext& c) {
  if (c.integer("score_mod", 0) != 0)
    c.at_least("what its function of the scores computes is not counted");
}

// query, key, value. Scores in blocks that the mask skips are not computed; those in listed blocks
// are all computed, also if the mask hides them.
void flex_cost(CostContext& c) {
  if (c.rank(0) < 2) return c.cannot_tell("the sizes of the query are not known");
  const Expr scores = listed_scores(c, 0);
  c.macs({{"scores in listed blocks", scores}, {"head size", size_from_end(c.in(0), 0)}});
  c.macs({{"scores in listed blocks", scores}, {"value size", size_from_end(c.in(2), 0)}});
  c.muls({{"scores, scale", scores}});
  c.adds({{"scores", scores}, {"softmax: comparison, difference, sum", 3}});
  c.specials({{"scores", scores}, {"softmax: exponential, quotient", 2}});
  score_function(c);
}
// gradient, query, key, value: as scaled_dot_product_backward_cost().
void flex_backward_cost(CostContext& c) {
  if (c.rank(1) < 2) return c.cannot_tell("the sizes of the query are not known");
  backward_of_scores(c, listed_scores(c, 1), product_of(c.in(1), 0, c.rank(1) - 1));
  score_function(c);
}

// query, key, value, weight and bias of their projections, weight and bias of the output's, mask.
void multi_head_cost(CostContext& c) {
  const Expr batch = size_at(c.in(0), 0), queries = size_at(c.in(0), 1), keys = size_at(c.in(1), 1),
             size = size_from_end(c.in(0), 0);
  const std::int64_t heads = c.integer("num_head", 0);
  if (heads < 1) return c.cannot_tell("the number of heads is not known");
  const Expr projected = batch * size * (queries + keys * 2);
  c.macs({{"queries, keys, values", projected}, {"common size", size}});
  c.adds({{"queries, keys, values plus bias", projected}});
  const Expr head = floor_div(size, heads);
  add_attention(c, {batch, heads, queries, keys, head, head, c.has(7) ? 1 : 0});
  c.macs({{"outputs", c.out_elements(0)}, {"common size", size}});
  bias_adds(c, 6);
}

// 128·128 scores of one head: 2·64 MACs each; FLOPs without a mask: a scale and a softmax of 5.
constexpr Example kAttention[] = {
    {"f32[1,1,128,64], f32[1,1,128,64], f32[1,1,128,64], _",
     "dropout_p=0.0f is_causal=0 enable_gqa=0",
     "f32[1,1,128,64]",
     {.macs = 2097152, .flops = 2 * 2097152 + 6 * 128 * 128}},
    // A mask and a causal one: two more operations for each score.
    {"f32[1,1,128,64], f32[1,1,128,64], f32[1,1,128,64], f32[128,128]",
     "is_causal=1",
     "f32[1,1,128,64]",
     {.macs = 2097152, .flops = 2 * 2097152 + 8 * 128 * 128}},
    // 9 heads share 3.
    {"f32[2,9,4,8], f32[2,3,6,8], f32[2,3,6,10]",
     "enable_gqa=1",
     "f32[2,9,4,10]",
     {.macs = 2 * 9 * 4 * 6 * (8 + 10)}},
    {"f16[B,8,S,64], f16[B,8,T,64], f16[B,8,T,64]", "is_causal=0", "f16[B,8,S,64]"},
};
constexpr Example kFused[] = {{"f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16,64]",
                               "dropout_p=0.0f is_causal=0",
                               "f32[2,8,16,64], f32[2,8,16]",
                               {.macs = 2 * 8 * 16 * 16 * 128}}};
// 4 projections of 16·8·8 and 2 heads of 16·16 scores with 4 MACs, twice.
constexpr Example kMultiHead[] = {
    {"f32[1,16,8], f32[1,16,8], f32[1,16,8], f32[24,8], f32[24], f32[8,8], f32[8]",
     "embed_dim=8 num_head=2",
     "f32[1,16,8], _",
     {.macs = 4 * 16 * 8 * 8 + 2 * 16 * 16 * 8}}};

// torch.utils.flop_counter.sdpa_backward_flop_count((2,8,16,64), …) is 2 621 440: five products of
// 2·8·16·16·64 MACs. 4096 scores with 6 operations more, 16384 outputs with 2.
constexpr Example kFusedBackward[] = {
    {"f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16]",
     "dropout_p=0.0f is_causal=0",
     "f32[2,8,16,64], f32[2,8,16,64], f32[2,8,16,64]",
     {.macs = 1310720, .flops = 2621440 + 4096 * 6 + 16384 * 2}}};

// A causal mask of blocks of 16 on a sequence of 40: rows of blocks have 16·16, 16·32 and 8·40
// scores, which 2 batches and 3 heads share.
constexpr Example kFlex[] = {
    {"f32[2,3,40,8], f32[2,3,40,8], f32[2,3,40,8]",
     "scores=6528",
     "f32[2,3,40,8], f32[2,3,40], f32[2,3,40]",
     {.macs = 6528 * 16, .flops = 6528 * (32 + 6)}},
    // A mask that is not known: at least one key for each of 240 queries.
    {"f32[2,3,40,8], f32[2,3,40,8], f32[2,3,40,8]",
     "",
     "f32[2,3,40,8], f32[2,3,40], f32[2,3,40]",
     {.macs = 240 * 16, .flops = 240 * (32 + 6)}},
};
// Five products, 6 operations more for each score and 2 for each of 1920 outputs.
constexpr Example kFlexBackward[] = {{"f32[2,3,40,8], f32[2,3,40,8], f32[2,3,40,8], f32[2,3,40,8]",
                                      "scores=6528",
                                      "f32[2,3,40,8], f32[2,3,40,8], f32[2,3,40,8]",
                                      {.macs = 6528 * 40, .flops = 6528 * (80 + 6) + 1920 * 2}}};

constexpr Traits kTraits = {.op = Op::Attention, .kind = LayerKind::Attention};

constexpr Traits kGradient = {.kind = LayerKind::Other, .product = Product::Other};

// An operator that is given functions.
constexpr OpRule higher(OpRule rule) {
  rule.domain = kHigherOrder;
  rule.takes_unranked = true;
  return rule;
}

constexpr OpRule kAtenAttentionRules[] = {
    higher(aten("flex_attention", flex_cost, kFlex, kTraits)),
    higher(aten("flex_attention_backward", flex_backward_cost, kFlexBackward, kGradient)),
    aten("scaled_dot_product_attention", scaled_dot_product_cost, kAttention, kTraits),
    aten("_scaled_dot_product_attention_math", scaled_dot_product_cost, kFused, kTraits),
    aten("_scaled_dot_product_flash_attention", scaled_dot_product_cost, kFused, kTraits),
    aten("_scaled_dot_product_flash_attention_for_cpu", scaled_dot_product_cost, kFused, kTraits),
    aten("_scaled_dot_product_efficient_attention", scaled_dot_product_cost, kFused, kTraits),
    aten("_scaled_dot_product_cudnn_attention", scaled_dot_product_cost, kFused, kTraits),
    aten("_scaled_dot_product_fused_attention_overrideable", scaled_dot_product_cost, kFused,
         kTraits),
    aten("_scaled_dot_product_flash_attention_backward", scaled_dot_product_backward_cost,
         kFusedBackward, kGradient),
    aten("_scaled_dot_product_flash_attention_for_cpu_backward", scaled_dot_product_backward_cost,
         kFusedBackward, kGradient),
    aten("_scaled_dot_product_efficient_attention_backward", scaled_dot_product_backward_cost,
         kFusedBackward, kGradient),
    aten("_scaled_dot_product_cudnn_attention_backward", scaled_dot_product_backward_cost,
         kFusedBackward, kGradient),
    aten("_scaled_dot_product_fused_attention_overrideable_backward",
         scaled_dot_product_backward_cost, kFusedBackward, kGradient),
    aten("_native_multi_head_attention", multi_head_cost, kMultiHead, kTraits),
};

}  // namespace

std::span<const OpRule> aten_attention_rules() { return kAtenAttentionRules; }

}  // namespace strata
