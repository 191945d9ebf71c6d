// Attention in ONNX's own domain, and the operators around it.
#include <fmt/format.h>

#include "ops/attend.h"
#include "ops/bodies.h"
#include "ops/common.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "ops/sizes.h"

namespace strata {

namespace {

// ---- Attention: Q, K, V, mask, past keys, past values, lengths without padding.

// A tensor of heads: (batch, heads, length, size), or (batch, length, heads·size) if an attribute
// gives the number of heads.
struct Heads {
  Expr batch, count, length, size;
};

std::optional<Heads> heads_of(const NodeView& c, std::size_t slot, std::string_view attribute) {
  const TypeInfo& type = c.in(slot);
  if (type.dims.size() == 4) return Heads{type.dims[0], type.dims[1], type.dims[2], type.dims[3]};
  const std::int64_t count = c.integer(attribute, 0);
  if (type.dims.size() != 3 || count < 1) return std::nullopt;
  return Heads{type.dims[0], count, type.dims[1], share_of(type.dims[2], count)};
}

struct Shapes {
  Heads q, k, v;
  Expr keys;  // including the cached ones
};

std::optional<Shapes> shapes_of(const NodeView& c) {
  const auto q = heads_of(c, 0, "q_num_heads");
  const auto k = heads_of(c, 1, "kv_num_heads"), v = heads_of(c, 2, "kv_num_heads");
  if (!q || !k || !v) return std::nullopt;
  return Shapes{*q, *k, *v, c.has(4) ? size_at(c.in(4), 2) + k->length : k->length};
}

Status attention_shape(ShapeContext& c) {
  const auto shapes = shapes_of(c);
  if (!shapes)
    return c.error("Q, K and V must have 4 axes, or 3 and attributes q_num_heads, kv_num_heads");
  const auto& [q, k, v, keys] = *shapes;
  if (clash(q.size, k.size))
    return c.error(
        fmt::format("heads of Q have size {} and those of K {}", q.size.text(), k.size.text()));
  if (k.count.is_number() && q.count.is_number() &&
      (k.count.is(0) || q.count.value() % k.count.value() != 0))
    return c.error(
        fmt::format("{} heads of Q cannot share {} heads of K", q.count.text(), k.count.text()));
  if (c.rank(0) == 4)
    c.set(0, c.dtype(0), {q.batch, q.count, q.length, v.size});
  else
    c.set(0, c.dtype(0), {q.batch, q.length, q.count * v.size});
  c.set(1, c.dtype(1), {k.batch, k.count, keys, k.size});
  c.set(2, c.dtype(2), {v.batch, v.count, keys, v.size});
  c.set(3, c.dtype(0), {q.batch, q.count, q.length, keys});
  return {};
}

// Each kind of mask is one addition per score; a soft cap is cap·tanh(score/cap).
void attention_cost(CostContext& c) {
  const auto shapes = shapes_of(c);
  if (!shapes) return c.cannot_tell("the number of heads is not known");
  const auto& [q, k, v, keys] = *shapes;
  const int masks = c.has(3) + (c.integer("is_causal", 0) != 0) + c.has(6);
  add_attention(c, {q.batch, q.count, q.length, keys, q.size, v.size, masks});
  if (c.real("softcap", 0) == 0) return;
  const Expr scores = q.batch * q.count * q.length * keys;
  c.muls({{"scores", scores}, {"soft cap", 2}});
  c.specials({{"scores", scores}, {"tanh", 1}});
}

constexpr Example kAttention[] = {
    {"f32[1,1,128,64], f32[1,1,128,64], f32[1,1,128,64]", "", "f32[1,1,128,64]", {.macs = 2097152}},
    // 9 heads share 3; there are 4 cached keys and 6 new ones.
    {"f32[2,9,4,8], f32[2,3,6,8], f32[2,3,6,10], _, f32[2,3,4,8], f32[2,3,4,10]",
     "is_causal=1",
     "f32[2,9,4,10], f32[2,3,10,8], f32[2,3,10,10], f32[2,9,4,10]",
     {.macs = 12960}},
    {"f16[2,4,72], f16[2,6,24], f16[2,6,30]",
     "q_num_heads=9 kv_num_heads=3",
     "f16[2,4,90]",
     {.macs = 7776}},
    {"f32[B,S,64], f32[B,S,64], f32[B,S,64], _, f32[B,8,P,8], f32[B,8,P,8]",
     "q_num_heads=8 kv_num_heads=8", "f32[B,S,64], f32[B,8,P + S,8]"},
};

// ---- FlexAttention: Q, K, V of 4 axes. Bodies change the scores and the probabilities.

constexpr std::string_view kPreview = "ai.onnx.preview";

// The input and output of the bodies: a score for every pair of query and key.
TypeInfo scores_of(const NodeView& c) {
  DType type = c.dtype(0) == DType::F64 ? DType::F64 : DType::F32;
  if (const auto asked = dtype_from_onnx(c.integer("softmax_precision", 0));
      asked && *asked != DType::Undefined)
    type = *asked;
  return TypeInfo::tensor(
      type, {size_at(c.in(0), 0), size_at(c.in(0), 1), size_at(c.in(0), 2), size_at(c.in(1), 2)});
}

Status flex_attention_shape(ShapeContext& c) {
  if (c.rank(0) != 4 || c.rank(1) != 4 || c.rank(2) != 4)
    return c.error("Q, K and V must have 4 axes");
  const Dims &q = c.dims(0), &k = c.dims(1), &v = c.dims(2);
  if (clash(q[3], k[3]))
    return c.error(
        fmt::format("heads of Q have size {} and those of K {}", q[3].text(), k[3].text()));
  Flow scores;
  scores.add(scores_of(c));
  for (const char* name : {"score_mod", "prob_mod"})
    if (Graph* body = c.body(name)) {
      body->runs = 1;
      if (const auto changed = run_body(c, *body, scores); !changed) return failure(changed);
    }
  c.set(0, c.dtype(0), {q[0], q[1], q[2], v[3]});
  return {};
}

void flex_attention_cost(CostContext& c) {
  if (c.rank(0) != 4 || c.rank(1) != 4 || c.rank(2) != 4)
    return c.cannot_tell("the number of heads is not known");
  const Dims &q = c.dims(0), &k = c.dims(1), &v = c.dims(2);
  add_attention(c, {q[0], q[1], q[2], k[2], q[3], v[3], 0});
}

// 9 heads share 3: 2·9·4 queries meet 6 keys, with 8 products and then 10 each.
constexpr Example kFlex[] = {
    {"f32[2,9,4,8], f32[2,3,6,8], f32[2,3,6,10]",
     "",
     "f32[2,9,4,10]",
     {.macs = 2 * 9 * 4 * 6 * (8 + 10)}},
    {"f16[B,8,S,64], f16[B,8,T,64], f16[B,8,T,64]", "", "f16[B,8,S,64]"},
};

// ---- RotaryEmbedding: X, cosines, sines, positions.

Status rotary_shape(ShapeContext& c) {
  if (c.rank(0) != 4 && !(c.rank(0) == 3 && c.integer("num_heads", 0) > 0))
    return c.error(fmt::format("input {} must have 4 axes, or 3 and attribute num_heads",
                               strata::text(c.dims(0))));
  return like_input(c);
}

// Attribute rotary_embedding_dim says how much of each head is rotated; 0 means all.
void rotary_cost(CostContext& c) {
  const std::int64_t part = c.integer("rotary_embedding_dim", 0);
  const bool has_head_axis = c.rank(0) == 4;
  const Expr heads = has_head_axis ? size_at(c.in(0), 1) : Expr(c.integer("num_heads", 0));
  const Expr batch = size_at(c.in(0), 0), length = size_at(c.in(0), has_head_axis ? 2 : 1);
  add_rotation(c, part > 0 ? batch * length * heads * part : c.in_elements(0));
  if (!c.has(3)) return;
  // Only reads the rows of the tables that positions select.
  const Expr looked_up = batch * length * size_from_end(c.in(1), 0) * 2;
  c.reads(bytes(c.in_elements(0), c.dtype(0)) + bytes(c.in_elements(3), c.dtype(3)) +
          bytes(looked_up, c.dtype(1)));
}

constexpr Example kRotary[] = {
    {"f32[2,4,3,8], f32[50,4], f32[50,4], i64[2,3]", "", "f32[2,4,3,8]", {.macs = 0, .flops = 576}},
    {"f32[2,3,32], f32[2,3,2], f32[2,3,2]",
     "num_heads=4 rotary_embedding_dim=4",
     "f32[2,3,32]",
     {.macs = 0, .flops = 288}},
};

// ---- TensorScatter: a cache, what is written into it, and where.

Status tensor_scatter_shape(ShapeContext& c) {
  if (c.rank(0) != c.rank(1))
    return c.error(fmt::format("cache {} and update {} must have the same number of axes",
                               strata::text(c.dims(0)), strata::text(c.dims(1))));
  return like_input(c);
}

constexpr Example kTensorScatter[] = {
    {"f32[2,8,128,64], f32[2,8,1,64], i64[2]", "", "f32[2,8,128,64]", {.macs = 0, .flops = 0}},
};

constexpr OpRule kAttentionRules[] = {
    {.name = "Attention",
     .since = 23,
     .shape = attention_shape,
     .cost = attention_cost,
     .examples = kAttention,
     .settings = slots(6),
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention}},
    {.name = "FlexAttention",
     .domain = kPreview,
     .shape = flex_attention_shape,
     .cost = flex_attention_cost,
     .examples = kFlex,
     .traits = {.op = Op::Attention, .kind = LayerKind::Attention, .bodies = BodyRuns::AsInferred}},
    {.name = "RotaryEmbedding",
     .since = 23,
     .shape = rotary_shape,
     .cost = rotary_cost,
     .examples = kRotary,
     .settings = slots(3),
     .buffers = slots(1, 2),
     .traits = {.kind = LayerKind::Other}},
    {.name = "TensorScatter",
     .since = 24,
     .shape = tensor_scatter_shape,
     .cost = no_arithmetic,
     .examples = kTensorScatter,
     .settings = slots(2),
     .traits = {.kind = LayerKind::Other}},
};

}  // namespace

std::span<const OpRule> attention_rules() { return kAttentionRules; }

}  // namespace strata
