#include "strata/llm/matrix.h"

namespace strata::llm {

namespace {

class MatrixList {
 public:
  explicit MatrixList(std::int64_t hidden) : hidden_(hidden) {}

  void add(std::string_view name, Split split, std::int64_t inputs, std::int64_t outputs,
           bool bias = false, Part part = Part::Attention) {
    out_.push_back({.name = name,
                    .part = part,
                    .split = split,
                    .inputs = inputs,
                    .outputs = outputs,
                    .bias = bias});
  }

  void attention(const Layer& l) {
    add("q_proj", Split::Columns, hidden_, l.heads * l.key * (l.is_gated ? 2 : 1), l.q_bias);
    if (!l.shares_cache) add("k_proj", Split::KvColumns, hidden_, l.kv_heads * l.key, l.k_bias);
    if (!l.shares_cache && !l.value_is_key)
      add("v_proj", Split::KvColumns, hidden_, l.kv_heads * l.value, l.v_bias);
    add("o_proj", Split::Rows, l.heads * l.value, hidden_, l.out_bias);
    if (l.cross_tokens == 0) return;
    // Keys and values of the encoder's tokens are made once, so no token of text passes them.
    add("cross_q_proj", Split::Columns, hidden_, l.heads * l.key, l.q_bias);
    add("cross_k_proj", Split::KvColumns, hidden_, l.kv_heads * l.key, l.k_bias);
    out_.back().used = 0;
    add("cross_v_proj", Split::KvColumns, hidden_, l.kv_heads * l.value, l.v_bias);
    out_.back().used = 0;
    add("cross_o_proj", Split::Rows, l.heads * l.value, hidden_, l.out_bias);
  }

  void latent(const Layer& l) {
    if (l.q_rank > 0) {
      add("q_a_proj", Split::Copied, hidden_, l.q_rank, l.q_bias);
      add("q_b_proj", Split::Columns, l.q_rank, l.heads * l.key);
    } else {
      add("q_proj", Split::Columns, hidden_, l.heads * l.key);
    }
    add("kv_a_proj", Split::Copied, hidden_, l.kv_rank + l.rope, l.k_bias);
    add("kv_b_proj", Split::Columns, l.kv_rank, l.heads * (l.key - l.rope + l.value));
    add("o_proj", Split::Rows, l.heads * l.value, hidden_, l.out_bias);
    if (l.index_heads == 0) return;
    add("indexer.wq_b", Split::Copied, l.q_rank, l.index_heads * l.index_head);
    add("indexer.wk", Split::Copied, hidden_, l.index_head);
    add("indexer.weights_proj", Split::Copied, hidden_, l.index_heads);
  }

  void state(const Layer& l) {
    switch (l.mixer) {
      case Mixer::Mamba1:
        in_and_out(l, 2 * l.inner, l.inner, l.inner);
        add("x_proj", Split::Rows, l.inner, l.step_rank + 2 * l.state, false, Part::State);
        add("dt_proj", Split::Columns, l.step_rank, l.inner, true, Part::State);
        return;
      case Mixer::Mamba2: {
        const std::int64_t convolved = l.inner + 2 * l.groups * l.state;
        return in_and_out(l, l.inner + convolved + l.state_heads, convolved, l.inner);
      }
      case Mixer::Delta: {
        const std::int64_t keys = l.kv_heads * l.key, values = l.heads * l.value;
        if (l.gate_rank == 0)
          return in_and_out(l, 2 * keys + 2 * values + 2 * l.heads, 2 * keys + values, values);
        in_and_out(l, 2 * keys + values + l.heads + 2 * l.gate_rank, 2 * keys + values, values);
        add("decay_proj", Split::Columns, l.gate_rank, keys, false, Part::State);
        add("gate_proj", Split::Columns, l.gate_rank, values, false, Part::State);
        return;
      }
      case Mixer::Convolution:
        return in_and_out(l, 3 * hidden_, hidden_, hidden_);
      case Mixer::Lightning:
        add("qkv_proj", Split::Columns, hidden_, 3 * l.heads * l.key, false, Part::State);
        add("output_gate", Split::Columns, hidden_, l.heads * l.key, false, Part::State);
        add("out_proj", Split::Rows, l.heads * l.key, hidden_, false, Part::State);
        return;
      case Mixer::Rwkv:
        for (const char* name : {"key", "value", "receptance"})
          add(name, Split::Columns, hidden_, l.inner, false, Part::State);
        add("output", Split::Rows, l.inner, hidden_, false, Part::State);
        return;
      default:
        return;
    }
  }

  void mlp(const Layer& l) {
    switch (l.mlp) {
      case Mlp::None:
        return;
      case Mlp::Gated:
      case Mlp::Plain:
        return feed_forward(l.ffn, l.mlp == Mlp::Gated, l.mlp_bias, Part::Mlp, 1, 1, hidden_);
      case Mlp::Experts:
        add("router", Split::Copied, hidden_, l.experts, l.router_bias, Part::Router);
        if (l.expert_input > 0)
          add("latent_in", Split::Copied, hidden_, l.expert_input, l.mlp_bias, Part::Shared);
        feed_forward(l.ffn, l.gated_experts, l.expert_bias, Part::Experts, l.experts, l.chosen,
                     l.expert_input > 0 ? l.expert_input : hidden_);
        if (l.expert_input > 0)
          add("latent_out", Split::Copied, l.expert_input, hidden_, l.mlp_bias, Part::Shared);
        if (l.shared > 0)
          feed_forward(l.shared, l.gated_experts, l.mlp_bias, Part::Shared, 1, 1, hidden_);
        if (l.shared_gate) add("shared_gate", Split::Copied, hidden_, 1, false, Part::Router);
        return;
      case Mlp::Rwkv:
        add("ffn_key", Split::Columns, hidden_, l.ffn, false, Part::Mlp);
        add("ffn_receptance", Split::Copied, hidden_, hidden_, false, Part::Mlp);
        add("ffn_value", Split::Rows, l.ffn, hidden_, false, Part::Mlp);
        return;
    }
  }

  void side(const Layer& l) {
    const auto one = [&](std::string_view name, std::int64_t in, std::int64_t out) {
      if (in > 0 && out > 0) add(name, Split::Copied, in, out, false, Part::Mlp);
    };
    one("side_model_proj", hidden_, l.side_input);
    one("side_gate", hidden_, l.side_input);
    one("side_proj", l.side_input, hidden_);
    one("low_rank_in", hidden_, l.low_rank);
    one("low_rank_out", l.low_rank, hidden_);
    one("stream_router", hidden_, l.streams);
    one("stream_proj", hidden_, l.stream_matrices * hidden_);
  }

  std::vector<Matrix> take() { return std::move(out_); }

 private:
  void in_and_out(const Layer& l, std::int64_t in, std::int64_t convolved, std::int64_t out) {
    add("in_proj", Split::Columns, hidden_, in, l.project_bias, Part::State);
    // One filter per channel is a matrix of `kernel` inputs.
    add("conv1d", Split::Columns, l.kernel, convolved, l.conv_bias, Part::State);
    add("out_proj", Split::Rows, out, hidden_, l.project_bias, Part::State);
  }

  void feed_forward(std::int64_t width, bool is_gated, bool bias, Part part, std::int64_t copies,
                    std::int64_t used, std::int64_t input) {
    const auto one = [&](std::string_view name, Split split, std::int64_t in, std::int64_t out) {
      out_.push_back({.name = name,
                      .part = part,
                      .split = split,
                      .inputs = in,
                      .outputs = out,
                      .copies = copies,
                      .used = used,
                      .bias = bias});
    };
    if (is_gated) one("gate_proj", Split::Columns, input, width);
    one("up_proj", Split::Columns, input, width);
    one("down_proj", Split::Rows, width, input);
  }

  std::int64_t hidden_;
  std::vector<Matrix> out_;
};

std::int64_t qk_norm_elements(const Layer& l) {
  if (l.qk_norm == QkNorm::None) return 0;
  const std::int64_t once = l.qk_norm == QkNorm::Head ? (l.shares_cache ? 1 : 2) * l.key
                                                      : l.heads * l.key + l.kv_heads * l.key;
  return once * (l.qk_norm_bias ? 2 : 1);
}

std::int64_t mixer_vectors(const Layer& l, std::int64_t hidden) {
  switch (l.mixer) {
    case Mixer::Attention:
      return qk_norm_elements(l) + (l.has_sinks ? l.heads : 0);
    case Mixer::Latent:
      return l.q_rank + l.kv_rank + (l.index_heads > 0 ? 2 * l.index_head : 0);
    case Mixer::Mamba1:
      return l.inner * (l.state + 1) + (l.step_norms ? l.step_rank + 2 * l.state : 0);
    case Mixer::Mamba2:
      return 3 * l.state_heads + l.inner;
    case Mixer::Delta:  // decays, their biases and a norm
      return l.heads + (l.gate_rank > 0 ? l.kv_heads * l.key : l.heads) + l.value;
    case Mixer::Lightning:
      return l.heads * l.key;
    case Mixer::Rwkv:  // decay and first of the inner width, three mixes of the model's
      return 2 * l.inner + 3 * hidden;
    case Mixer::Convolution:
    case Mixer::None:
      return 0;
  }
  return 0;
}

}  // namespace

std::vector<Matrix> matrices_of(const Layer& layer, std::int64_t hidden) {
  MatrixList list(hidden);
  if (layer.mixer == Mixer::Attention) list.attention(layer);
  if (layer.mixer == Mixer::Latent) list.latent(layer);
  list.state(layer);
  list.mlp(layer);
  list.side(layer);
  return list.take();
}

std::vector<Matrix> outer_matrices_of(const Network& network) {
  std::vector<Matrix> out;
  out.push_back({.name = "embed_tokens",
                 .part = Part::Embedding,
                 .split = Split::Columns,
                 .inputs = network.hidden,
                 .outputs = network.vocab,
                 .used = 0});
  if (network.positions > 0)
    out.push_back({.name = "positions",
                   .part = Part::Embedding,
                   .split = Split::Copied,
                   .inputs = network.hidden,
                   .outputs = network.positions,
                   .used = 0});
  if (network.side_vocab > 0) {
    std::int64_t width = 0;
    for (const Layer& layer : network.layers) width += layer.side_input;
    out.push_back({.name = "side_embedding",
                   .part = Part::Embedding,
                   .split = Split::Copied,
                   .inputs = width,
                   .outputs = network.side_vocab,
                   .used = 0});
  }
  if (network.has_head && !network.tied)
    out.push_back({.name = "lm_head",
                   .part = Part::Head,
                   .split = Split::Columns,
                   .inputs = network.hidden,
                   .outputs = network.vocab,
                   .bias = network.head_bias});
  return out;
}

std::int64_t vector_elements_of(const Layer& layer, std::int64_t hidden) {
  const std::int64_t mixes = layer.mlp == Mlp::Rwkv ? 2 * hidden : 0;
  const std::int64_t n = layer.streams;
  const std::int64_t scales = layer.router_scales ? hidden + layer.experts : 0;
  return (layer.norms + layer.extra_norms) * hidden + mixer_vectors(layer, hidden) + mixes +
         layer.curve + n * n + n * n * n + scales;
}

}  // namespace strata::llm
