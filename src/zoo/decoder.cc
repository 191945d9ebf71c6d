// A text decoder built like Llama: RMS norms, rotary positions, queries that share keys and values,
// a gated MLP. Modules have the names of Hugging Face's LlamaForCausalLM.
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "zoo/registry.h"

namespace strata::zoo {
namespace {

struct Sizes {
  std::int64_t width, heads, kv_heads, ffn, head;
  std::int64_t sharing() const { return heads / kv_heads; }  // queries per key
};

// What all layers read in addition to the text.
struct Context {
  Sizes sizes;
  Var cos, sin;  // for the angles of each position: length×head
  Var mask;      // length×all: 0, or a large negative number if a query may not look there
};

// Keys and values of one layer: batch×kv_heads×positions×head.
struct Cache {
  Var key, value;
};

constexpr NormOptions kNorm = {.epsilon = 1e-5F, .cls = "LlamaRMSNorm"};

// Angles grow with the position; each pair of channels rotates at its own speed.
void rotary_tables(Builder& net, Var positions, Context& context) {
  const auto module = net.module("rotary_emb", "LlamaRotaryEmbedding");
  constexpr double kBase = 10000;
  const std::int64_t pairs = context.sizes.head / 2;
  std::vector<float> speeds;
  for (std::int64_t i = 0; i < pairs; ++i)
    speeds.push_back(static_cast<float>(
        std::pow(kBase, -2.0 * static_cast<double>(i) / static_cast<double>(context.sizes.head))));
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
Var attention(Builder& net, Var x, const Context& context, Cache& cache) {
  const auto module = net.module("self_attn", "LlamaAttention");
  const auto& [width, heads, kv_heads, ffn, head] = context.sizes;
  const std::int64_t sharing = context.sizes.sharing();
  const Expr batch = net.size(x, 0);
  const Expr length = net.size(x, 1);
  Var query = net.linear("q_proj", x, heads * head, false);
  Var key = net.linear("k_proj", x, kv_heads * head, false);
  Var value = net.linear("v_proj", x, kv_heads * head, false);
  query = net.reshape(query, {batch, length, kv_heads, sharing, head});
  query = rotate(net, net.transpose(query, {0, 2, 3, 1, 4}), context);
  key = net.transpose(net.reshape(key, {batch, length, kv_heads, head}), {0, 2, 1, 3});
  key = rotate(net, key, context);
  value = net.transpose(net.reshape(value, {batch, length, kv_heads, head}), {0, 2, 1, 3});
  if (cache.key.id != kNone) {
    cache.key = key = net.concat({cache.key, key}, 2);
    cache.value = value = net.concat({cache.value, value}, 2);
  }
  // Queries of one group use the same keys by broadcasting, so none is copied.
  const Var turned = net.unsqueeze(net.transpose(key, {0, 1, 3, 2}), {2});
  const Var scale = net.number(1 / std::sqrt(static_cast<float>(head)));
  const Var scores = net.add(net.mul(net.matmul(query, turned), scale), context.mask);
  const Var weights = net.softmax(scores, -1);
  x = net.matmul(weights, net.unsqueeze(value, {2}));
  x = net.reshape(net.transpose(x, {0, 3, 1, 2, 4}), {batch, length, heads * head});
  return net.linear("o_proj", x, width, false);
}

Var mlp(Builder& net, Var x, const Sizes& sizes) {
  const auto module = net.module("mlp", "LlamaMLP");
  const Var gate = net.silu("act_fn", net.linear("gate_proj", x, sizes.ffn, false));
  const Var up = net.linear("up_proj", x, sizes.ffn, false);
  return net.linear("down_proj", net.mul(gate, up), sizes.width, false);
}

Var layer(Builder& net, std::int64_t number, Var x, const Context& context, Cache& cache) {
  const auto module = net.module(number, "LlamaDecoderLayer");
  x = net.add(x, attention(net, net.rms_norm("input_layernorm", x, kNorm), context, cache));
  return net.add(x, mlp(net, net.rms_norm("post_attention_layernorm", x, kNorm), context.sizes));
}

// 0 if a query's position is not before the key's; otherwise a number so small that nothing of the
// key is left, but that every type can represent.
Var causal_mask(Builder& net, Var positions, Var all) {
  const Var first = net.integer(0);
  const Var step = net.integer(1);
  const Var keys = net.op("Range", {first, net.squeeze(all, {0}), step});
  const Var later = net.op("Less", {net.unsqueeze(positions, {1}), net.unsqueeze(keys, {0})});
  return net.op("Where", {later, net.number(-65504), net.number(0)});
}

void llama(Builder& net, const Arguments& arguments) {
  Sizes sizes{arguments.whole("width"), arguments.whole("heads"), arguments.whole("kv_heads"),
              arguments.whole("ffn"), 0};
  sizes.head = sizes.width / sizes.heads;
  if (sizes.width % (2 * sizes.heads) != 0)
    return net.fail(fmt::format("a width of {} gives {} heads no even number of channels",
                                sizes.width, sizes.heads));
  if (sizes.heads % sizes.kv_heads != 0)
    return net.fail(fmt::format("{} heads cannot share {} keys and values equally", sizes.heads,
                                sizes.kv_heads));
  const bool cached = arguments.word("cache") == "on";
  const Expr batch = arguments.size("batch");
  const Var ids = net.input("input_ids", DType::I64, {batch, arguments.size("sequence")});
  std::vector<Cache> caches(static_cast<std::size_t>(arguments.whole("layers")));
  for (std::size_t i = 0; cached && i < caches.size(); ++i) {
    const Dims dims = {batch, sizes.kv_heads, arguments.size("past"), sizes.head};
    caches[i].key = net.input(fmt::format("past_key_values.{}.key", i), dims);
    caches[i].value = net.input(fmt::format("past_key_values.{}.value", i), dims);
  }
  Var x;
  {
    const auto model = net.module("model", "LlamaModel");
    x = net.embedding("embed_tokens", ids, arguments.whole("vocab"), sizes.width);
    const Var past = cached ? net.length(caches[0].key, 2) : net.integers({0});
    const Var all = cached ? net.add(past, net.length(ids, 1)) : net.length(ids, 1);
    const Var positions =
        net.op("Range", {net.squeeze(past, {0}), net.squeeze(all, {0}), net.integer(1)});
    Context context{sizes, {}, {}, causal_mask(net, positions, all)};
    rotary_tables(net, positions, context);
    {
      const auto layers = net.module("layers", "ModuleList");
      for (std::size_t i = 0; i < caches.size(); ++i)
        x = layer(net, static_cast<std::int64_t>(i), x, context, caches[i]);
    }
    x = net.rms_norm("norm", x, kNorm);
  }
  net.output("logits", net.linear("lm_head", x, arguments.whole("vocab"), false));
  for (std::size_t i = 0; cached && i < caches.size(); ++i) {
    net.output(fmt::format("present.{}.key", i), caches[i].key);
    net.output(fmt::format("present.{}.value", i), caches[i].value);
  }
}

constexpr Parameter kTexts{"batch", ParameterKind::Size, "1", "texts at once"};
constexpr Parameter kSequence{"sequence", ParameterKind::Size, "128", "tokens given"};
constexpr Parameter kCache{
    "cache", ParameterKind::Choice, "off", "keys and values of earlier tokens are given", 0, 0,
    "off|on"};
constexpr Parameter kPast{"past", ParameterKind::Size, "128", "earlier tokens, with a cache"};

// The shape of TinyLlama-1.1B.
constexpr Parameter kDecoderParameters[] = {
    kTexts,
    kSequence,
    kCache,
    kPast,
    {"vocab", ParameterKind::Whole, "32000", "tokens there are", 1, 1 << 24},
    {"width", ParameterKind::Whole, "2048", "channels of a token"},
    {"layers", ParameterKind::Whole, "22", "blocks of attention and MLP", 1, 1000},
    {"heads", ParameterKind::Whole, "32", "queries of the attention", 1, 65536},
    {"kv_heads", ParameterKind::Whole, "4", "keys and values of the attention", 1, 65536},
    {"ffn", ParameterKind::Whole, "5632", "channels inside the MLP"},
    kType};

constexpr Parameter kSmallParameters[] = {
    kTexts,
    {"sequence", ParameterKind::Size, "16", "tokens given"},
    kCache,
    {"past", ParameterKind::Size, "16", "earlier tokens, with a cache"},
    {"vocab", ParameterKind::Whole, "1000", "tokens there are", 1, 1 << 24},
    {"width", ParameterKind::Whole, "64", "channels of a token"},
    {"layers", ParameterKind::Whole, "2", "blocks of attention and MLP", 1, 1000},
    {"heads", ParameterKind::Whole, "4", "queries of the attention", 1, 65536},
    {"kv_heads", ParameterKind::Whole, "2", "keys and values of the attention", 1, 65536},
    {"ffn", ParameterKind::Whole, "176", "channels inside the MLP"},
    kType};

constexpr Entry kDecoderNetworks[] = {
    {"llama", "decoder for text, 1.1 billion parameters, 2023", "LlamaForCausalLM",
     kDecoderParameters, llama},
    {"llama_small", "the same decoder, small enough for a demonstration", "LlamaForCausalLM",
     kSmallParameters, llama},
};

}  // namespace

std::span<const Entry> decoder_networks() { return kDecoderNetworks; }

}  // namespace strata::zoo
