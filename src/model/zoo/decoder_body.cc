#include <cmath>

#include <fmt/format.h>

#include "zoo/decoder.h"

namespace strata::zoo {

using build::Builder;
using build::Var;

namespace {

// The inputs that all layers read in addition to the text.
struct Context {
  const DecoderShape& shape;
  Var cos = {}, sin = {};  // for the angles of each position: length×head
  // length×all: 0, or a large negative number if a query may not look there.
  Var mask = {}, window_mask = {};

  std::string cls(std::string_view name) const { return shape.family + std::string(name); }
};

// Keys and values of one layer: batch×kv_heads×positions×head.
struct Cache {
  Var key, value;
};

Var norm(Builder& net, std::string_view name, Var x, const Context& context) {
  const std::string cls = context.cls("RMSNorm");
  return net.rms_norm(name, x, {.epsilon = context.shape.epsilon, .cls = cls});
}

// Angles grow with the position; each pair of channels rotates at its own speed.
void rotary_tables(Builder& net, Var positions, Context& context) {
  const auto module = net.module("rotary_emb", context.cls("RotaryEmbedding"));
  const std::int64_t pairs = context.shape.head / 2;
  std::vector<float> speeds;
  for (std::int64_t i = 0; i < pairs; ++i)
    speeds.push_back(static_cast<float>(
        std::pow(context.shape.rotary_base,
                 -2.0 * static_cast<double>(i) / static_cast<double>(context.shape.head))));
  // Computed in f32, whatever the network's type, because large positions need all their digits.
  const Var angle = net.unsqueeze(net.cast(positions, DType::F32), {1});
  const Var speed = net.op("Constant", {}, {{"value_floats", std::span<const float>(speeds)}});
  const Var turned = net.mul(angle, speed);
  const Var both = net.concat({turned, turned}, 1);
  const auto in_type = [&](Var x) {
    return net.dtype() == DType::F32 ? x : net.cast(x, net.dtype());
  };
  context.cos = in_type(net.op("Cos", {both}));
  context.sin = in_type(net.op("Sin", {both}));
}

// Rotates each pair of channels (i, i + head/2) by its position's angle.
Var rotate(Builder& net, Var x, const Context& context) {
  const auto halves = net.split(x, -1, 2);
  const Var turned = net.concat({net.op("Neg", {halves[1]}), halves[0]}, -1);
  const Var straight = net.mul(x, context.cos);
  return net.add(straight, net.mul(turned, context.sin));
}

// `cache` holds what came before, and afterwards also this layer's; its key is kNone if there is no
// cache.
Var attention(Builder& net, Var x, const Context& context, Var mask, Cache& cache) {
  const auto module = net.module("self_attn", context.cls("Attention"));
  const DecoderShape& shape = context.shape;
  const std::int64_t heads = shape.heads, kv_heads = shape.kv_heads, head = shape.head;
  const Expr batch = net.size(x, 0);
  const Expr length = net.size(x, 1);
  Var query = net.linear("q_proj", x, heads * head, shape.qkv_bias);
  Var key = net.linear("k_proj", x, kv_heads * head, shape.qkv_bias);
  Var value = net.linear("v_proj", x, kv_heads * head, shape.qkv_bias);
  query = net.reshape(query, {batch, length, kv_heads, shape.sharing(), head});
  if (shape.qk_norm) query = norm(net, "q_norm", query, context);
  query = rotate(net, net.transpose(query, {0, 2, 3, 1, 4}), context);
  key = net.reshape(key, {batch, length, kv_heads, head});
  if (shape.qk_norm) key = norm(net, "k_norm", key, context);
  key = rotate(net, net.transpose(key, {0, 2, 1, 3}), context);
  value = net.transpose(net.reshape(value, {batch, length, kv_heads, head}), {0, 2, 1, 3});
  if (cache.key.id != kNone) {
    cache.key = key = net.concat({cache.key, key}, 2);
    cache.value = value = net.concat({cache.value, value}, 2);
  }
  // Queries of one group use the same keys by broadcasting, so none is copied.
  const Var turned = net.unsqueeze(net.transpose(key, {0, 1, 3, 2}), {2});
  const Var scale = net.number(1 / std::sqrt(static_cast<float>(head)));
  const Var scores = net.add(net.mul(net.matmul(query, turned), scale), mask);
  const Var weights = net.softmax(scores, -1);
  x = net.matmul(weights, net.unsqueeze(value, {2}));
  x = net.reshape(net.transpose(x, {0, 3, 1, 2, 4}), {batch, length, heads * head});
  return net.linear("o_proj", x, shape.width, shape.out_bias);
}

Var mlp(Builder& net, Var x, const Context& context) {
  const DecoderShape& shape = context.shape;
  const auto module = net.module("mlp", context.cls("MLP"));
  const Var gate = activation_function(net, "act_fn", shape.activation,
                                       net.linear("gate_proj", x, shape.ffn, shape.mlp_bias));
  const Var up = net.linear("up_proj", x, shape.ffn, shape.mlp_bias);
  return net.linear("down_proj", net.mul(gate, up), shape.width, shape.mlp_bias);
}

// Only a run can tell which experts a token goes through, but their number is known: the operator
// of ONNX Runtime computes just those.
Var experts(Builder& net, Var x, const Context& context) {
  const DecoderShape& shape = context.shape;
  const auto module = net.module("mlp", context.cls("SparseMoeBlock"));
  const Expr batch = net.size(x, 0), length = net.size(x, 1);
  const Var tokens = net.reshape(x, {-1, shape.width});
  Var scores;
  {
    const auto gate = net.module("gate", context.cls("TopKRouter"));
    const Var weight = net.weight("weight", {shape.experts, shape.width});
    scores = net.op("Gemm", {tokens, weight}, {{"transB", 1}});
  }
  {
    const auto all = net.module("experts", context.cls("Experts"));
    const Var first =
        net.weight("gate_up_proj", {shape.experts, 2 * shape.expert_ffn, shape.width});
    const Var second = net.weight("down_proj", {shape.experts, shape.width, shape.expert_ffn});
    // transformers has all gates before all values in gate_up_proj. ONNX Runtime's processor takes
    // them by turns (1), which is another order of rows that have no values here.
    x = net.op("com.microsoft.MoE", {tokens, scores, first, Var{}, second},
               {{"activation_type", "swiglu"},
                {"activation_alpha", 1.0},
                {"activation_beta", 0.0},
                {"swiglu_fusion", 1},
                {"k", shape.chosen},
                {"normalize_routing_weights", shape.normalize_chosen ? 1 : 0}});
  }
  return net.reshape(x, {batch, length, shape.width});
}

Var layer(Builder& net, std::size_t number, Var x, const Context& context, Cache& cache) {
  const DecoderShape& shape = context.shape;
  const auto module = net.module(static_cast<std::int64_t>(number), context.cls("DecoderLayer"));
  const bool is_windowed = shape.window > 0 && (shape.windowed.empty() || shape.windowed[number]);
  const bool is_sparse = shape.experts > 0 && (shape.sparse.empty() || shape.sparse[number]);
  const Var mask = is_windowed ? context.window_mask : context.mask;
  x = net.add(x, attention(net, norm(net, "input_layernorm", x, context), context, mask, cache));
  const Var in = norm(net, "post_attention_layernorm", x, context);
  return net.add(x, is_sparse ? experts(net, in, context) : mlp(net, in, context));
}

// 0 if a query's position is not before the key's, and not a window behind it; otherwise a number
// so small that nothing of the key is left, but that every type can represent.
void make_masks(Builder& net, Var positions, Var all, Context& context) {
  const Var first = net.integer(0);
  const Var step = net.integer(1);
  const Var keys = net.op("Range", {first, net.squeeze(all, {0}), step});
  const Var query = net.unsqueeze(positions, {1}), key = net.unsqueeze(keys, {0});
  const Var later = net.op("Less", {query, key});
  context.mask = net.op("Where", {later, net.number(-65504), net.number(0)});
  if (context.shape.window == 0) return;
  const Var reach = net.add(key, net.integer(context.shape.window - 1));
  const Var hidden = net.op("Or", {later, net.op("Less", {reach, query})});
  context.window_mask = net.op("Where", {hidden, net.number(-65504), net.number(0)});
}

Var body(Builder& net, Var ids, const DecoderShape& shape, std::vector<Cache>& caches,
         Var& embedding) {
  const bool cached = !caches.empty() && caches[0].key.id != kNone;
  Context context{shape};
  Var x;
  {
    const auto module = net.module("embed_tokens", "Embedding");
    embedding = net.weight("weight", {shape.vocab, shape.width});
    x = net.gather(embedding, ids, 0);
  }
  const Var past = cached ? net.length(caches[0].key, 2) : net.integers({0});
  const Var all = cached ? net.add(past, net.length(ids, 1)) : net.length(ids, 1);
  const Var positions =
      net.op("Range", {net.squeeze(past, {0}), net.squeeze(all, {0}), net.integer(1)});
  make_masks(net, positions, all, context);
  rotary_tables(net, positions, context);
  {
    const auto layers = net.module("layers", "ModuleList");
    for (std::size_t i = 0; i < caches.size(); ++i) x = layer(net, i, x, context, caches[i]);
  }
  return norm(net, "norm", x, context);
}

}  // namespace

Var activation_function(Builder& net, std::string_view name, std::string_view kind, Var x) {
  if (kind == "silu" || kind == "swish") return net.silu(name, x);
  if (kind == "gelu") return net.gelu(name, x);
  if (kind == "gelu_new" || kind == "gelu_pytorch_tanh") return net.gelu_tanh(name, x);
  if (kind == "relu") return net.relu(name, x);
  net.fail(fmt::format("there is no activation function \"{}\" here", kind));
  return {};
}

void build_decoder(Builder& net, const DecoderShape& shape, const DecoderInputs& inputs) {
  if (shape.heads % shape.kv_heads != 0)
    return net.fail(fmt::format("{} heads cannot share {} keys and values equally", shape.heads,
                                shape.kv_heads));
  const Var ids = net.input("input_ids", DType::I64, {inputs.batch, inputs.sequence});
  std::vector<Cache> caches(static_cast<std::size_t>(shape.layers));
  for (std::size_t i = 0; inputs.cached && i < caches.size(); ++i) {
    const Dims dims = {inputs.batch, shape.kv_heads, inputs.past, shape.head};
    caches[i].key = net.input(fmt::format("past_key_values.{}.key", i), dims);
    caches[i].value = net.input(fmt::format("past_key_values.{}.value", i), dims);
  }
  Var embedding;
  if (!shape.has_head) {
    net.output("last_hidden_state", body(net, ids, shape, caches, embedding));
  } else {
    Var x;
    {
      const auto model = net.module("model", shape.family + "Model");
      x = body(net, ids, shape, caches, embedding);
    }
    if (shape.tied) {
      const auto head = net.module("lm_head", "Linear");
      x = net.matmul(x, net.transpose(embedding, {1, 0}));
    } else {
      x = net.linear("lm_head", x, shape.vocab, false);
    }
    net.output("logits", x);
  }
  for (std::size_t i = 0; inputs.cached && i < caches.size(); ++i) {
    net.output(fmt::format("present.{}.key", i), caches[i].key);
    net.output(fmt::format("present.{}.value", i), caches[i].value);
  }
}

}  // namespace strata::zoo
