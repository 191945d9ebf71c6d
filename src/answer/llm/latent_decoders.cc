// Decoders with latent attention, with chunks, or with two kinds of heads, and those that see
// images.
#include <algorithm>
#include <iterator>

#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

struct LatentRow {
  std::int64_t q_rank, chosen, dense, shared;
  std::int64_t nope, value;
  std::int64_t index_heads;  // 0: no indexer
  std::int64_t kv_rank = 512, rope = 64;
  bool has_experts = true, tied = false;
};

void read_latent(Keys& keys, Network& network, const LatentRow& row) {
  network.hidden = keys.size({"hidden_size"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab);
  network.max_context =
      keys.size_or_none({"max_position_embeddings", "model_max_length"}, kMostContext);
  network.tied = read_tied(keys, row.tied);
  network.extra_layers =
      keys.size_or_none({"num_nextn_predict_layers", "num_mtp_layers"}, kMostLayers);
  Layer layer;
  layer.mixer = Mixer::Latent;
  layer.norms = 2;
  layer.heads = keys.size({"num_attention_heads"}, kMostHeads);
  layer.kv_heads = 1;
  layer.kv_rank = keys.size({"kv_lora_rank"}, kMostWidth, row.kv_rank);
  layer.q_rank =
      keys.size_or_none({"q_lora_rank"}, kMostWidth, keys.names("q_lora_rank") ? 0 : row.q_rank);
  layer.rope = keys.size({"qk_rope_head_dim"}, kMostHead, row.rope);
  layer.key = keys.size({"qk_nope_head_dim"}, kMostHead, row.nope) + layer.rope;
  layer.value = keys.size({"v_head_dim"}, kMostHead, row.value);
  layer.k_bias = layer.out_bias = keys.truth("attention_bias", false);
  layer.q_bias = layer.k_bias && layer.q_rank > 0;
  if (row.index_heads > 0) {
    layer.index_heads = keys.size({"index_n_heads"}, kMostHeads, row.index_heads);
    layer.index_head = keys.size({"index_head_dim"}, kMostHead, 128);
    layer.index_top = keys.size({"index_topk"}, kMostContext, 2048);
    if (keys.good() && layer.q_rank == 0)
      keys.wrong("it has an indexer and no \"q_lora_rank\", from which the indexer reads");
  }
  layer.mlp = Mlp::Gated;
  layer.mlp_bias = keys.truth("mlp_bias", false);
  layer.ffn = keys.size({"intermediate_size"}, kMostFfn);
  if (!keys.good()) return;
  if (!row.has_experts) {
    network.layers.assign(static_cast<std::size_t>(read_layer_count(keys)), layer);
    return;
  }
  const OrdinaryDecoder experts{.experts = ExpertsRule::Routed,
                                .usual_experts = 0,
                                .usual_chosen = row.chosen,
                                .usual_expert_ffn = 0,
                                .usual_shared = row.shared,
                                .usual_dense = row.dense};
  read_routed_experts(keys, network, layer, experts);
  // Layers whose indexer is another layer's have none of their own.
  const std::vector<std::string> indexers = keys.words("indexer_types");
  for (std::size_t i = 0; i < std::min(indexers.size(), network.layers.size()); ++i)
    if (indexers[i] != "full" && keys.good())
      keys.wrong("its \"indexer_types\" are not all full, which strata does not count");
}

void read_deepseek2(Keys& keys, Network& network) {
  read_latent(keys, network, {1536, 6, 0, 2, 128, 128, 0});
}
void read_deepseek3(Keys& keys, Network& network) {
  read_latent(keys, network, {1536, 8, 3, 1, 128, 128, 0});
}
void read_deepseek32(Keys& keys, Network& network) {
  read_latent(keys, network, {1536, 8, 3, 1, 128, 128, 64});
}
void read_glm_dsa(Keys& keys, Network& network) {
  read_latent(keys, network, {2048, 8, 3, 1, 192, 256, 32});
}
void read_glm_lite(Keys& keys, Network& network) {
  read_latent(keys, network, {768, 4, 1, 1, 192, 256, 0});
}

void read_youtu(Keys& keys, Network& network) {
  LatentRow row{1536, 0, 0, 0, 128, 128, 0};
  row.has_experts = false;
  row.tied = true;
  read_latent(keys, network, row);
}
void read_minicpm3(Keys& keys, Network& network) {
  LatentRow row{768, 0, 0, 0, 64, 64, 0, 256, 32};
  row.has_experts = false;
  row.tied = true;
  read_latent(keys, network, row);
}

// Layers that attend are in `linear_attn_config`, counted from 1, or in `layer_types`.
void read_kimi_linear(Keys& keys, Network& network) {
  read_latent(keys, network, {0, 8, 1, 1, 128, 128, 0});
  if (!keys.good()) return;
  Keys inner = keys.inside("linear_attn_config");
  Layer delta;
  delta.mixer = Mixer::Delta;
  delta.heads = delta.kv_heads =
      inner.size({"num_heads"}, kMostHeads, keys.size({"linear_num_heads"}, kMostHeads, 32));
  delta.key = delta.value = delta.gate_rank =
      inner.size({"head_dim"}, kMostHead, keys.size({"linear_head_dim"}, kMostHead, 128));
  delta.kernel =
      inner.size({"short_conv_kernel_size"}, 1024, keys.size({"linear_conv_kernel_dim"}, 1024, 4));
  const std::vector<std::int64_t> full = inner.wholes("full_attn_layers");
  keys.take_problem(inner);
  const std::vector<std::string> types = keys.words("layer_types");
  for (std::size_t i = 0; i < network.layers.size() && keys.good(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    bool attends = i > 0 && i % 4 == 0;
    if (!full.empty())
      attends = std::find(full.begin(), full.end(), at + 1) != full.end();
    else if (i < types.size())
      attends = types[i] == "full_attention";
    if (!attends) network.layers[i] = with_attention(network.layers[i], delta);
  }
}

// Full attention and windows have heads of their own.
void read_mimo(Keys& keys, Network& network) {
  network.hidden = keys.size({"hidden_size"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab);
  network.max_context = keys.size_or_none({"max_position_embeddings"}, kMostContext);
  network.tied = read_tied(keys, false);
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"attention_bias", false}};
  Layer full;
  full.norms = 2;
  read_attention(keys, network, kRow, full);
  full.value = keys.size({"v_head_dim"}, kMostHead, full.key);
  full.has_sinks = keys.truth("add_full_attention_sink_bias", false);
  full.mlp = Mlp::Gated;
  full.ffn = keys.size({"intermediate_size"}, kMostFfn);
  Layer near = full;
  near.heads = keys.size({"swa_num_attention_heads"}, kMostHeads, full.heads);
  near.kv_heads = keys.size({"swa_num_key_value_heads"}, kMostHeads, full.kv_heads);
  near.key = keys.size({"swa_head_dim"}, kMostHead, full.key);
  near.value = keys.size({"swa_v_head_dim"}, kMostHead, full.value);
  near.window = keys.size({"sliding_window", "sliding_window_size"}, kMostContext);
  near.has_sinks = keys.truth("add_swa_attention_sink_bias", true);
  const std::vector<std::int64_t> pattern = keys.wholes("hybrid_layer_pattern");
  const std::vector<std::int64_t> sparse = keys.wholes("moe_layer_freq");
  const std::int64_t experts = keys.size({"n_routed_experts"}, kMostExperts);
  const std::int64_t chosen = keys.size({"num_experts_per_tok"}, experts);
  const std::int64_t ffn = keys.size({"moe_intermediate_size"}, kMostFfn);
  const std::int64_t shared = keys.size_or_none({"n_shared_experts"}, kMostExperts);
  const auto layers = static_cast<std::size_t>(read_layer_count(keys));
  if (keys.good() && (pattern.size() < layers || sparse.size() < layers))
    keys.wrong("its \"hybrid_layer_pattern\" or \"moe_layer_freq\" does not have all layers");
  if (keys.good() && shared * ffn > kMostFfn) keys.wrong("its shared experts are too wide");
  for (std::size_t i = 0; i < layers && keys.good(); ++i) {
    Layer layer = pattern[i] != 0 ? near : full;
    if (sparse[i] != 0) {
      layer.mlp = Mlp::Experts;
      layer.experts = experts;
      layer.chosen = chosen;
      layer.ffn = ffn;
      layer.shared = shared * ffn;
    }
    network.layers.push_back(layer);
  }
}

// A transformer over patches of an image: attention with biases, a plain MLP, two LayerNorms.
std::int64_t vision_layer(std::int64_t width, std::int64_t ffn) {
  return 4 * (width * width + width) + 2 * width * ffn + ffn + width + 4 * width;
}

void read_llama4_vision(Keys& keys, Network& network) {
  Keys vision = keys.inside("vision_config");
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 768);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 5632);
  const std::int64_t layers = vision.size({"num_hidden_layers"}, kMostLayers, 34);
  const std::int64_t image = vision.size({"image_size"}, 1 << 14, 448);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 10, 14);
  const std::int64_t in = vision.size({"projector_input_dim"}, 1 << 16, 4096);
  const std::int64_t out = vision.size({"projector_output_dim"}, 1 << 16, 4096);
  const std::int64_t last = vision.size({"vision_output_dim"}, 1 << 16, 7680);
  keys.take_problem(vision);
  const std::int64_t side = image / patch;
  const std::int64_t parameters = layers * vision_layer(width, ffn) + width +
                                  (side * side + 1) * width + 3 * patch * patch * width +
                                  4 * width + ffn * in + in * out;
  network.towers.push_back({"vision tower", parameters});
  network.towers.push_back({"projector", last * network.hidden});
}

void read_llama4(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"attention_bias", false},
                                        .out_bias = {"attention_bias", false},
                                        .kv_heads = 8,
                                        .head = 128,
                                        .experts = ExpertsRule::Plain,
                                        .usual_experts = 16,
                                        .usual_chosen = 1};
  read_ordinary(keys, network, kRow);
  if (!keys.good()) return;
  const std::int64_t dense = keys.size({"intermediate_size_mlp"}, kMostFfn, 16384);
  const std::int64_t step = keys.size({"interleave_moe_layer_step"}, kMostLayers, 1);
  const std::int64_t chunk = keys.size_or_none({"attention_chunk_size"}, kMostContext, 8192);
  const std::int64_t every = keys.size({"no_rope_layer_interval"}, kMostLayers, 4);
  const std::vector<std::int64_t> rope = keys.wholes("no_rope_layers");
  const std::vector<std::int64_t> sparse = keys.wholes("moe_layers");
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    const auto at = static_cast<std::int64_t>(i);
    layer.shared = layer.ffn;
    const bool is_sparse = sparse.empty()
                               ? (at + 1) % step == 0
                               : std::find(sparse.begin(), sparse.end(), at) != sparse.end();
    if (!is_sparse) {
      layer.mlp = Mlp::Gated;
      layer.ffn = dense;
      layer.experts = layer.chosen = layer.shared = 0;
    }
    const bool rotates = i < rope.size() ? rope[i] != 0 : (at + 1) % every != 0;
    if (rotates && chunk > 0) layer.window = chunk, layer.is_chunked = true;
  }
  if (&keys.json() == &keys.outer()) return;  // text alone
  Keys whole(keys.outer(), keys.outer(), "");
  read_llama4_vision(whole, network);
  keys.take_problem(whole);
}

void read_siglip(Keys& keys, Network& network) {
  Keys vision = keys.inside("vision_config");
  const std::int64_t width = vision.size({"hidden_size"}, 1 << 16, 768);
  const std::int64_t ffn = vision.size({"intermediate_size"}, 1 << 18, 3072);
  const std::int64_t layers = vision.size({"num_hidden_layers"}, kMostLayers, 12);
  const std::int64_t image = vision.size({"image_size"}, 1 << 14, 224);
  const std::int64_t patch = vision.size({"patch_size"}, 1 << 10, 16);
  const bool has_pooling = vision.truth("vision_use_head", true);
  keys.take_problem(vision);
  const std::int64_t side = image / patch;
  // Patches with biases, positions, a last LayerNorm; pooling is one more layer with a probe.
  std::int64_t parameters = layers * vision_layer(width, ffn) + 3 * patch * patch * width + width +
                            side * side * width + 2 * width;
  if (has_pooling) parameters += width + vision_layer(width, ffn) - 2 * width;
  network.towers.push_back({"vision tower", parameters});
  network.towers.push_back({"projector", width * network.hidden + width});
}

void read_gemma3_vision(Keys& keys, Network& network) {
  for (const ClassReader& reader : decoder_classes())
    if (reader.name == "Gemma3ForCausalLM") reader.read(keys, network);
  if (!keys.good() || keys.outer().find("vision_config") == keys.outer().end()) return;
  Keys whole(keys.outer(), keys.outer(), "");
  read_siglip(whole, network);
  keys.take_problem(whole);
}

constexpr ClassReader kClasses[] = {
    {"DeepseekV2ForCausalLM", "deepseek_v2", read_deepseek2},
    {"DeepseekV3ForCausalLM", "deepseek_v3", read_deepseek3},
    {"DeepseekV3ForCausalLM", "kimi_k2", read_deepseek3},
    {"DeepseekV32ForCausalLM", "deepseek_v32", read_deepseek32},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", read_glm_dsa},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", read_glm_lite},
    {"KimiLinearForCausalLM", "kimi_linear", read_kimi_linear},
    {"YoutuForCausalLM", "youtu", read_youtu},
    {"MiniCPM3ForCausalLM", "minicpm3", read_minicpm3},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", read_mimo},
    {"Llama4ForConditionalGeneration", "llama4", read_llama4},
    {"Llama4ForCausalLM", "llama4_text", read_llama4},
    {"Gemma3ForConditionalGeneration", "gemma3", read_gemma3_vision},
};

}  // namespace

std::span<const ClassReader> expert_classes() { return kClasses; }

}  // namespace strata::llm
