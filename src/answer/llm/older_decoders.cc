// Decoders from before Llama, and Whisper: each names its sizes in its own way.
#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

struct OlderRow {
  bool attention_bias, mlp_bias, head_bias;
  int norms, final_norms, embedding_norms;
  bool tied, is_fused;
};

// Sizes under any of the old names; equal layers with a plain MLP of four times the width.
Layer read_older(Keys& keys, Network& network, const OlderRow& row) {
  network.hidden = keys.size({"hidden_size", "n_embd", "d_model"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab);
  network.max_context = keys.size_or_none(
      {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx"},
      kMostContext);
  network.tied = read_tied(keys, row.tied);
  network.final_norms = row.final_norms;
  network.embedding_norms = row.embedding_norms;
  network.head_bias = row.head_bias;
  network.is_fused = row.is_fused;
  Layer layer;
  layer.mixer = Mixer::Attention;
  layer.norms = row.norms;
  layer.heads = layer.kv_heads =
      keys.size({"num_attention_heads", "n_head", "n_heads", "num_heads"}, kMostHeads);
  layer.key = layer.value = std::max<std::int64_t>(network.hidden / layer.heads, 1);
  if (keys.good() && network.hidden % layer.heads != 0)
    keys.wrong(
        fmt::format("its width of {} is not divided by {} heads", network.hidden, layer.heads));
  layer.q_bias = layer.k_bias = layer.v_bias = layer.out_bias = row.attention_bias;
  layer.mlp = Mlp::Plain;
  layer.mlp_bias = row.mlp_bias;
  layer.ffn = keys.size({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}, kMostFfn,
                        4 * network.hidden);
  return layer;
}

void fill(Keys& keys, Network& network, const Layer& layer) {
  network.layers.assign(static_cast<std::size_t>(read_layer_count(keys)), layer);
}

void read_gpt2(Keys& keys, Network& network) {
  const Layer layer = read_older(keys, network, {true, true, false, 4, 2, 0, true, true});
  network.positions = network.max_context == 0 ? 1024 : network.max_context;
  fill(keys, network, layer);
}

// GPT-2 with one head of keys and values.
void read_bigcode(Keys& keys, Network& network) {
  Layer layer = read_older(keys, network, {true, true, false, 4, 2, 0, true, true});
  network.positions = network.max_context == 0 ? 1024 : network.max_context;
  if (keys.truth("multi_query", true)) layer.kv_heads = 1;
  fill(keys, network, layer);
}

// `[[["global", "local"], 16]]`: lists of kinds, and how often each is repeated.
void read_neo(Keys& keys, Network& network) {
  Layer layer = read_older(keys, network, {false, true, false, 4, 2, 0, true, false});
  layer.out_bias = true;
  network.positions = network.max_context == 0 ? 2048 : network.max_context;
  const std::int64_t window = keys.size({"window_size"}, kMostContext, 256);
  const std::int64_t layers = keys.size({"num_layers", "num_hidden_layers"}, kMostLayers, 24);
  std::vector<bool> local;
  const auto* types = keys.at(keys.json(), "attention_types");
  if (types != nullptr && types->is_array())
    for (const auto& group : *types) {
      const bool is_pair = group.is_array() && group.size() == 2 && group[0].is_array() &&
                           group[1].is_number_unsigned() && group[1].get<std::uint64_t>() <= 4096;
      if (!is_pair) return keys.wrong("its \"attention_types\" are not lists of kinds and times");
      for (std::uint64_t i = 0; i < group[1].get<std::uint64_t>(); ++i)
        for (const auto& kind : group[0])
          if (local.size() < static_cast<std::size_t>(kMostLayers))
            local.push_back(kind == "local");
    }
  for (std::int64_t i = 0; i < layers && keys.good(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool is_local = at < local.size() ? local[at] : i % 2 == 1;
    network.layers.push_back(layer);
    if (is_local) network.layers.back().window = window;
  }
}

void read_gptj(Keys& keys, Network& network) {
  fill(keys, network, read_older(keys, network, {false, true, true, 2, 2, 0, false, false}));
}

void read_neox(Keys& keys, Network& network) {
  Layer layer = read_older(keys, network, {true, true, false, 4, 2, 0, false, true});
  const bool bias = keys.truth("attention_bias", true);
  layer.q_bias = layer.k_bias = layer.v_bias = layer.out_bias = bias;
  fill(keys, network, layer);
}

void read_bloom(Keys& keys, Network& network) {
  fill(keys, network, read_older(keys, network, {true, true, false, 4, 2, 2, true, true}));
}

void read_mpt(Keys& keys, Network& network) {
  Layer layer = read_older(keys, network, {false, false, false, 2, 1, 0, true, true});
  if (!keys.truth("no_bias", true) && keys.good())
    keys.wrong("it has biases (\"no_bias\" is false), which transformers does not build");
  layer.ffn = keys.size({"expansion_ratio"}, 64, 4) * network.hidden;
  fill(keys, network, layer);
}

void read_falcon(Keys& keys, Network& network) {
  const bool bias = keys.truth("bias", false);
  Layer layer = read_older(keys, network, {bias, bias, false, 4, 2, 0, true, true});
  const bool is_parallel = keys.truth("parallel_attn", true);
  if (keys.truth("new_decoder_architecture", false)) {
    layer.kv_heads = keys.size({"num_kv_heads", "n_head_kv"}, layer.heads, layer.heads);
    if (keys.size_or_none({"num_ln_in_parallel_attn"}, 2, 2) == 1) layer.norms = 2;
    if (keys.good() && layer.heads % layer.kv_heads != 0)
      keys.wrong(fmt::format("its {} heads are not divided by {} heads of keys and values",
                             layer.heads, layer.kv_heads));
  } else {
    if (keys.truth("multi_query", true)) layer.kv_heads = 1;
    if (is_parallel) layer.norms = 2;
  }
  fill(keys, network, layer);
}

void read_opt(Keys& keys, Network& network) {
  const bool bias = keys.truth("enable_bias", true);
  const Layer layer = read_older(keys, network, {bias, bias, false, 4, 2, 0, true, false});
  const std::int64_t positions = network.max_context == 0 ? 2048 : network.max_context;
  network.positions = positions + 2;  // two rows for padding
  if (!keys.truth("do_layer_norm_before", true) || keys.truth("_remove_final_layer_norm", false))
    network.final_norms = 0;
  const std::int64_t width = keys.size({"word_embed_proj_dim"}, kMostWidth, network.hidden);
  if (keys.good() && width != network.hidden)
    keys.wrong(
        fmt::format("its embedding is {} wide (\"word_embed_proj_dim\"), which strata does "
                    "not count",
                    width));
  fill(keys, network, layer);
}

void read_dbrx(Keys& keys, Network& network) {
  Layer layer = read_older(keys, network, {false, false, false, 2, 1, 0, false, true});
  Keys attention = keys.inside("attn_config"), experts = keys.inside("ffn_config");
  layer.kv_heads = attention.size({"kv_n_heads"}, layer.heads, 1);
  layer.mlp = Mlp::Experts;
  layer.ffn = experts.size({"ffn_hidden_size"}, kMostFfn, 3584);
  layer.experts = experts.size({"moe_num_experts"}, kMostExperts, 4);
  layer.chosen = experts.size({"moe_top_k"}, layer.experts, 1);
  keys.take_problem(attention);
  keys.take_problem(experts);
  fill(keys, network, layer);
}

// The decoder; the encoder is a tower whose tokens the decoder attends to.
void read_whisper(Keys& keys, Network& network) {
  network.hidden = keys.size({"d_model"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab);
  network.tied = read_tied(keys, true);
  network.final_norms = 2;
  network.positions = network.max_context = keys.size({"max_target_positions"}, kMostFfn, 448);
  const std::int64_t mel = keys.size({"num_mel_bins"}, 4096, 80);
  const std::int64_t sources = keys.size({"max_source_positions"}, kMostFfn, 1500);
  const std::int64_t encoder_layers = keys.size({"encoder_layers"}, kMostLayers);
  const std::int64_t encoder_ffn = keys.size({"encoder_ffn_dim"}, kMostFfn);
  const std::int64_t width = network.hidden;
  // Keys have no bias; two convolutions of three positions, LayerNorms.
  const std::int64_t layer_parameters =
      4 * width * width + 3 * width + 2 * width * encoder_ffn + encoder_ffn + width + 4 * width;
  network.towers.push_back({"encoder", encoder_layers * layer_parameters + 3 * mel * width + width +
                                           3 * width * width + width + sources * width +
                                           2 * width});
  Layer layer;
  layer.mixer = Mixer::Attention;
  layer.norms = 6;
  layer.heads = layer.kv_heads = keys.size({"decoder_attention_heads"}, kMostHeads);
  layer.key = layer.value = std::max<std::int64_t>(width / layer.heads, 1);
  layer.q_bias = layer.v_bias = layer.out_bias = true;
  layer.cross_tokens = sources;
  layer.mlp = Mlp::Plain;
  layer.mlp_bias = true;
  layer.ffn = keys.size({"decoder_ffn_dim"}, kMostFfn);
  network.layers.assign(static_cast<std::size_t>(keys.size({"decoder_layers"}, kMostLayers)),
                        layer);
}

constexpr ClassReader kClasses[] = {
    {"GPT2LMHeadModel", "gpt2", read_gpt2},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", read_bigcode},
    {"GPTNeoForCausalLM", "gpt_neo", read_neo},
    {"CodeGenForCausalLM", "codegen", read_gptj},
    {"GPTJForCausalLM", "gptj", read_gptj},
    {"GPTNeoXForCausalLM", "gpt_neox", read_neox},
    {"BloomForCausalLM", "bloom", read_bloom},
    {"MptForCausalLM", "mpt", read_mpt},
    {"FalconForCausalLM", "falcon", read_falcon},
    {"OPTForCausalLM", "opt", read_opt},
    {"DbrxForCausalLM", "dbrx", read_dbrx},
    {"WhisperForConditionalGeneration", "whisper", read_whisper},
};

}  // namespace

std::span<const ClassReader> older_classes() { return kClasses; }

}  // namespace strata::llm
