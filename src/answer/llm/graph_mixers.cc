// How layers mix tokens, as modules.
#include <array>

#include "llm/graph_maker.h"

namespace strata::llm {

using build::Var;

Var GraphMaker::mix(Var x) {
  switch (current().mixer) {
    case Mixer::None:
      return x;
    case Mixer::Attention:
      return attention(x);
    case Mixer::Latent:
      return latent(x);
    case Mixer::Mamba1:
      return mamba1(x);
    case Mixer::Mamba2:
      return mamba2(x);
    case Mixer::Delta:
      return delta(x);
    case Mixer::Lightning:
      return lightning(x);
    case Mixer::Convolution:
      return short_convolution(x);
    case Mixer::Rwkv:
      return rwkv(x);
  }
  return x;
}

Var GraphMaker::attention(Var x) {
  const Layer& l = current();
  const auto module = net_.module("self_attn", cls("Attention"));
  Var query = linear("q_proj", x), gate;
  if (l.is_gated) {
    const auto halves = net_.split(query, -1, 2);
    query = halves[0], gate = halves[1];
  }
  KeysAndValues& last = last_[l.window > 0 ? 1 : 0];
  Var key = l.shares_cache ? last.key : linear("k_proj", x);
  const Var value = l.shares_cache ? last.value : l.value_is_key ? key : linear("v_proj", x);
  if (l.qk_norm != QkNorm::None) {
    const bool is_head = l.qk_norm == QkNorm::Head;
    query = head_norm("q_norm", query, is_head ? l.key : l.heads * l.key, l.qk_norm_bias);
    if (!l.shares_cache)
      key = head_norm("k_norm", key, is_head ? l.key : l.kv_heads * l.key, l.qk_norm_bias);
  }
  const Var cache = l.shares_cache ? last.cache
                                   : with_cache("key_values", {key, value},
                                                l.kv_heads * (l.key + l.value), Var{});
  if (!l.shares_cache) last = {key, value, cache};
  {
    const auto leaf = net_.module("attention", "CachedAttention");
    std::vector<Var> inputs{query, is_cached_ ? cache : key, is_cached_ ? Var{} : value};
    if (l.has_sinks) inputs.push_back(vector("sinks", l.heads));
    const build::Setting settings[] = {{"heads", l.heads},
                                       {"head", l.key},
                                       {"value", l.value},
                                       {"window", l.window},
                                       {"chunked", l.is_chunked ? 1 : 0}};
    x = net_.op("strata.CachedAttention", inputs, settings);
  }
  if (l.is_gated) x = net_.mul(x, net_.sigmoid(gate));
  return linear("o_proj", x);
}

// Keys and values of the encoder's tokens are there already: they are made once for all tokens.
Var GraphMaker::cross_attention(Var x) {
  const Layer& l = current();
  const auto module = net_.module("cross_attn", cls("Attention"));
  const Var query = linear("cross_q_proj", x);
  resident("cross_k_proj", matrix("cross_k_proj", Part::Attention));
  resident("cross_v_proj", matrix("cross_v_proj", Part::Attention));
  const Var cache = net_.input(numbered("cross_key_values"),
                               {sizes_.batch, l.cross_tokens, l.kv_heads * (l.key + l.value)});
  {
    const auto leaf = net_.module("attention", "CachedAttention");
    x = net_.op("strata.CachedAttention", {query, cache},
                {{"heads", l.heads}, {"head", l.key}, {"value", l.value}, {"causal", 0}});
  }
  return linear("cross_o_proj", x);
}

Var GraphMaker::latent(Var x) {
  const Layer& l = current();
  const auto module = net_.module("self_attn", cls("Attention"));
  Var compressed, query;
  if (l.q_rank > 0) {
    compressed = norm("q_a_norm", linear("q_a_proj", x), 1);
    query = linear("q_b_proj", compressed);
  } else {
    query = linear("q_proj", x);
  }
  const std::array<std::int64_t, 2> widths = {l.kv_rank, l.rope};
  const auto parts = net_.split(linear("kv_a_proj", x), -1, widths);
  const Var vector_of_token = norm("kv_a_norm", parts[0], 1);
  const Var latents = with_cache("latents", {vector_of_token, parts[1]}, l.kv_rank + l.rope,
                                 is_cached_ ? Var{} : net_.concat({vector_of_token, parts[1]}, -1));
  const Var keys = l.index_heads > 0 ? indexed_keys(x, compressed) : Var{};
  {
    const auto leaf = net_.module("kv_b_proj", "LatentAttention");
    const Matrix& expansion = matrix("kv_b_proj", Part::Attention);
    std::vector<Var> inputs{query, latents,
                            stored(expansion, {expansion.outputs, expansion.inputs})};
    if (l.index_heads > 0) inputs.push_back(keys);
    const build::Setting settings[] = {{"heads", l.heads},  {"head", l.key},
                                       {"value", l.value},  {"rope", l.rope},
                                       {"rank", l.kv_rank}, {"top", l.index_top}};
    x = net_.op("strata.LatentAttention", inputs, settings);
  }
  return linear("o_proj", x);
}

Var GraphMaker::indexed_keys(Var x, Var queries) {
  const Layer& l = current();
  const Var query = linear("indexer.wq_b", queries);
  const Var key = norm("indexer.k_norm", linear("indexer.wk", x), 2);
  const Var weights = linear("indexer.weights_proj", x);
  const Var keys = with_cache("index_keys", {key}, l.index_head, key);
  const auto leaf = net_.module("indexer.top", "TopKeys");
  return net_.op("strata.TopKeys", {query, keys, weights}, {{"top", l.index_top}});
}

Var GraphMaker::causal_conv(Var x, std::int64_t channels) {
  const Matrix& m = matrix("conv1d", Part::State);
  const auto leaf = net_.module("conv1d", "CausalConv");
  std::vector<Var> inputs{x, stored(m, {channels, m.inputs})};
  inputs.push_back(m.bias ? vector("bias", channels) : Var{});
  const build::Setting settings[] = {{"kernel", m.inputs}};
  if (!is_cached_ || m.inputs < 2) return net_.op("strata.CausalConv", inputs, settings);
  inputs.push_back(net_.input(numbered("past_columns"), {sizes_.batch, m.inputs - 1, channels}));
  const auto both = net_.ops("strata.CausalConv", inputs, 2, settings);
  outputs_.emplace_back(numbered("present_columns"), both[1]);
  return both[0];
}

Var GraphMaker::scan(std::string_view kind, std::vector<Var> inputs, std::int64_t width,
                     std::int64_t states, std::int64_t heads) {
  const auto leaf = net_.module("scan", "StateScan");
  const std::string name(kind);
  const build::Setting settings[] = {
      {"kind", name.c_str()}, {"width", width}, {"states", states}, {"heads", heads}};
  inputs.insert(inputs.begin() + 1, Var{});
  if (!is_cached_ || states == 0) return net_.op("strata.StateScan", inputs, settings);
  inputs[1] = net_.input(numbered("past_states"), DType::F32, {sizes_.batch, states});
  const auto both = net_.ops("strata.StateScan", inputs, 2, settings);
  outputs_.emplace_back(numbered("present_states"), both[1]);
  return both[0];
}

Var GraphMaker::mamba1(Var x) {
  const Layer& l = current();
  const auto module = net_.module("mixer", cls("Mixer"));
  const auto halves = net_.split(linear("in_proj", x, Part::State), -1, 2);
  x = net_.silu("act", causal_conv(halves[0], l.inner));
  const std::array<std::int64_t, 3> widths = {l.step_rank, l.state, l.state};
  auto parts = net_.split(linear("x_proj", x, Part::State), -1, widths);
  if (l.step_norms) {
    parts[0] = norm("dt_norm", parts[0], 1);
    parts[1] = norm("b_norm", parts[1], 1);
    parts[2] = norm("c_norm", parts[2], 1);
  }
  const Var step = net_.op("Softplus", {linear("dt_proj", parts[0], Part::State)});
  const Var decay = net_.weight("A_log", {l.inner, l.state});
  x = scan("mamba", {x, step, parts[1], parts[2], decay, vector("D", l.inner)}, l.inner,
           l.inner * l.state);
  return linear("out_proj", net_.mul(x, net_.silu("gate_act", halves[1])), Part::State);
}

Var GraphMaker::mamba2(Var x) {
  const Layer& l = current();
  const auto module = net_.module("mixer", cls("Mixer"));
  const std::int64_t convolved = l.inner + 2 * l.groups * l.state;
  const std::array<std::int64_t, 3> widths = {l.inner, convolved, l.state_heads};
  const auto parts = net_.split(linear("in_proj", x, Part::State), -1, widths);
  x = net_.silu("act", causal_conv(parts[1], convolved));
  const Var step = net_.op("Softplus", {net_.add(parts[2], vector("dt_bias", l.state_heads))});
  x = scan("mamba2", {x, step, vector("A_log", l.state_heads), vector("D", l.state_heads)}, l.inner,
           l.inner * l.state, l.state_heads);
  x = norm("norm", net_.mul(x, net_.silu("gate_act", parts[0])), 1);
  return linear("out_proj", x, Part::State);
}

Var GraphMaker::delta(Var x) {
  const Layer& l = current();
  if (l.gate_rank > 0) return channel_delta(x);
  const auto module = net_.module("linear_attn", cls("GatedDeltaNet"));
  const std::int64_t keys = l.kv_heads * l.key, values = l.heads * l.value;
  const std::array<std::int64_t, 3> widths = {2 * keys + values, values, 2 * l.heads};
  const auto parts = net_.split(linear("in_proj", x, Part::State), -1, widths);
  x = net_.silu("act", causal_conv(parts[0], 2 * keys + values));
  x = scan("delta", {x, parts[2], vector("A_log", l.heads), vector("dt_bias", l.heads)}, values,
           l.heads * l.key * l.value, l.heads);
  x = head_norm("norm", x, l.value, false);
  return linear("out_proj", net_.mul(x, net_.silu("gate_act", parts[1])), Part::State);
}

// Each channel of a key has a decay of its own.
Var GraphMaker::channel_delta(Var x) {
  const Layer& l = current();
  const auto module = net_.module("linear_attn", cls("DeltaAttention"));
  const std::int64_t keys = l.kv_heads * l.key, values = l.heads * l.value;
  const std::array<std::int64_t, 4> widths = {2 * keys + values, l.heads, l.gate_rank, l.gate_rank};
  const auto parts = net_.split(linear("in_proj", x, Part::State), -1, widths);
  const Var decay = linear("decay_proj", parts[2], Part::State);
  const Var gate = net_.sigmoid(linear("gate_proj", parts[3], Part::State));
  x = net_.silu("act", causal_conv(parts[0], 2 * keys + values));
  x = scan("delta", {x, parts[1], decay, vector("A_log", l.heads), vector("dt_bias", keys)}, values,
           l.heads * l.key * l.value, l.heads);
  x = head_norm("norm", x, l.value, false);
  return linear("out_proj", net_.mul(x, gate), Part::State);
}

Var GraphMaker::lightning(Var x) {
  const Layer& l = current();
  const auto module = net_.module("self_attn", cls("LightningAttention"));
  const std::int64_t width = l.heads * l.key;
  const Var gate = net_.sigmoid(linear("output_gate", x, Part::State));
  x = net_.silu("act", linear("qkv_proj", x, Part::State));
  x = norm("norm", scan("lightning", {x}, width, width * l.key, l.heads), 1);
  return linear("out_proj", net_.mul(x, gate), Part::State);
}

Var GraphMaker::short_convolution(Var x) {
  const auto module = net_.module("conv", cls("ShortConv"));
  const auto parts = net_.split(linear("in_proj", x, Part::State), -1, 3);
  x = causal_conv(net_.mul(parts[0], parts[2]), network_.hidden);
  return linear("out_proj", net_.mul(x, parts[1]), Part::State);
}

Var GraphMaker::rwkv(Var x) {
  const Layer& l = current();
  const auto module = net_.module("attention", cls("Attention"));
  const auto mixed = [&](const char* name) { return net_.mul(x, vector(name, network_.hidden)); };
  const Var key = linear("key", mixed("time_mix_key"), Part::State);
  const Var value = linear("value", mixed("time_mix_value"), Part::State);
  const Var gate = net_.sigmoid(linear("receptance", mixed("time_mix_receptance"), Part::State));
  x = scan("rwkv", {key, value, vector("time_decay", l.inner), vector("time_first", l.inner)},
           l.inner, 3 * l.inner);
  return linear("output", net_.mul(x, gate), Part::State);
}

}  // namespace strata::llm
