// State spaces, linear attention, short convolutions and what mixes them with attention.
#include <algorithm>
#include <utility>

#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

constexpr OrdinaryDecoder kPlainAttention{.qkv_bias = {"attention_bias", false},
                                          .out_bias = {"attention_bias", false}};

void read_outer(Keys& keys, Network& network, bool tied) {
  network.hidden = keys.size({"hidden_size", "d_model"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab);
  network.max_context =
      keys.size_or_none({"max_position_embeddings", "context_length"}, kMostContext);
  network.tied = read_tied(keys, tied);
}

bool contains(const std::vector<std::int64_t>& list, std::int64_t item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// `auto` is a sixteenth of the width.
std::int64_t read_step_rank(Keys& keys, const char* key, std::int64_t hidden) {
  const auto* value = keys.at(keys.json(), key);
  const std::int64_t usual = (hidden + 15) / 16;
  if (value == nullptr || value->is_string()) return usual;
  return keys.size({key}, kMostWidth, usual);
}

std::int64_t expanded(Keys& keys, const char* key, std::int64_t hidden) {
  return keys.size({key}, 64, 2) * hidden;
}

void read_mamba(Keys& keys, Network& network) {
  read_outer(keys, network, true);
  Layer layer;
  layer.mixer = Mixer::Mamba1;
  layer.norms = 1;
  layer.inner = expanded(keys, "expand", network.hidden);
  layer.state = keys.size({"state_size"}, kMostHead, 16);
  layer.kernel = keys.size({"conv_kernel"}, 1024, 4);
  layer.step_rank = read_step_rank(keys, "time_step_rank", network.hidden);
  layer.conv_bias = keys.truth("use_conv_bias", true);
  layer.project_bias = keys.truth("use_bias", false);
  network.layers.assign(static_cast<std::size_t>(read_layer_count(keys)), layer);
}

struct Mamba2Names {
  const char *heads, *head, *state, *groups, *kernel, *conv_bias, *bias;
  std::int64_t usual_heads, usual_state, usual_groups;
};

Layer read_mamba2_layer(Keys& keys, const Mamba2Names& names) {
  Layer layer;
  layer.mixer = Mixer::Mamba2;
  layer.state_heads = keys.size({names.heads}, kMostHeads, names.usual_heads);
  const auto* head = keys.at(keys.json(), names.head);
  layer.state_head =
      head != nullptr && head->is_string() ? 64 : keys.size({names.head}, kMostHead, 64);
  layer.inner = layer.state_heads * layer.state_head;
  layer.state = keys.size({names.state}, kMostHead, names.usual_state);
  layer.groups = keys.size({names.groups}, kMostHeads, names.usual_groups);
  layer.kernel = keys.size({names.kernel}, 1024, 4);
  layer.conv_bias = keys.truth(names.conv_bias, true);
  layer.project_bias = keys.truth(names.bias, false);
  return layer;
}

void read_mamba2(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  Layer layer = read_mamba2_layer(keys, {"num_heads", "head_dim", "state_size", "n_groups",
                                         "conv_kernel", "use_conv_bias", "use_bias", 128, 128, 8});
  layer.norms = 1;
  const std::int64_t inner = expanded(keys, "expand", network.hidden);
  if (keys.good() && inner != layer.inner)
    keys.wrong(fmt::format("its {} heads of {} are not its width of {}", layer.state_heads,
                           layer.state_head, inner));
  network.layers.assign(static_cast<std::size_t>(read_layer_count(keys)), layer);
}

constexpr Mamba2Names kHybridNames{"mamba_n_heads",
                                   "mamba_d_head",
                                   "mamba_d_state",
                                   "mamba_n_groups",
                                   "mamba_d_conv",
                                   "mamba_conv_bias",
                                   "mamba_proj_bias",
                                   128,
                                   256,
                                   1};

// Puts the attention of `from` into a layer in place of its state space.
Layer with_attention(Layer layer, const Layer& from) {
  Layer out = from;
  out.norms = layer.norms;
  out.mlp = layer.mlp;
  out.mlp_bias = layer.mlp_bias;
  out.ffn = layer.ffn;
  out.experts = layer.experts;
  out.chosen = layer.chosen;
  out.shared = layer.shared;
  out.gated_experts = layer.gated_experts;
  return out;
}

void read_jamba(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  Layer attention;
  read_attention(keys, network, OrdinaryDecoder{.kv_heads = 8}, attention);
  Layer state;
  state.mixer = Mixer::Mamba1;
  state.norms = 2;
  state.inner = expanded(keys, "mamba_expand", network.hidden);
  state.state = keys.size({"mamba_d_state"}, kMostHead, 16);
  state.kernel = keys.size({"mamba_d_conv"}, 1024, 4);
  state.step_rank = read_step_rank(keys, "mamba_dt_rank", network.hidden);
  state.conv_bias = keys.truth("mamba_conv_bias", true);
  state.project_bias = keys.truth("mamba_proj_bias", false);
  state.step_norms = true;
  state.mlp = Mlp::Gated;
  state.ffn = keys.size({"intermediate_size"}, kMostFfn);
  const std::int64_t experts = keys.size({"num_experts", "num_local_experts"}, kMostExperts, 16);
  const std::int64_t chosen =
      keys.size({"num_experts_per_tok"}, experts, std::min<std::int64_t>(2, experts));
  const std::int64_t period = keys.size({"attn_layer_period"}, kMostLayers, 8);
  const std::int64_t offset = keys.size_or_none({"attn_layer_offset"}, kMostLayers, 4);
  const std::int64_t expert_period = keys.size({"expert_layer_period"}, kMostLayers, 2);
  const std::int64_t expert_offset = keys.size_or_none({"expert_layer_offset"}, kMostLayers, 1);
  const std::int64_t layers = read_layer_count(keys);
  for (std::int64_t i = 0; i < layers && keys.good(); ++i) {
    Layer layer = state;
    if (i % expert_period == expert_offset % expert_period && experts > 1) {
      layer.mlp = Mlp::Experts;
      layer.experts = experts;
      layer.chosen = chosen;
    }
    if (i % period == offset % period) layer = with_attention(layer, attention);
    network.layers.push_back(layer);
  }
}

void read_bamba(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  Layer attention;
  read_attention(keys, network,
                 OrdinaryDecoder{.qkv_bias = {"attention_bias", false},
                                 .out_bias = {"attention_bias", false},
                                 .kv_heads = 8},
                 attention);
  Layer state = read_mamba2_layer(keys, kHybridNames);
  state.norms = 2;
  state.mlp = Mlp::Gated;
  state.mlp_bias = keys.truth("mlp_bias", false);
  state.ffn = keys.size({"intermediate_size"}, kMostFfn);
  const std::vector<std::int64_t> indices = keys.wholes("attn_layer_indices");
  const std::int64_t layers = read_layer_count(keys);
  for (std::int64_t i = 0; i < layers && keys.good(); ++i)
    network.layers.push_back(contains(indices, i) ? with_attention(state, attention) : state);
}

// Every layer has a shared expert; without routed ones it is an ordinary MLP.
void read_granite_hybrid(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  Layer attention;
  read_attention(keys, network, kPlainAttention, attention);
  Layer state = read_mamba2_layer(keys, kHybridNames);
  state.norms = 2;
  const std::int64_t shared = keys.size({"shared_intermediate_size"}, kMostFfn, 1024);
  state.experts = keys.size_or_none({"num_local_experts", "num_experts"}, kMostExperts, 8);
  if (state.experts > 0) {
    state.mlp = Mlp::Experts;
    state.chosen =
        keys.size({"num_experts_per_tok"}, state.experts, std::min<std::int64_t>(2, state.experts));
    state.ffn = keys.size({"intermediate_size"}, kMostFfn);
    state.shared = shared;
  } else {
    state.mlp = Mlp::Gated;
    state.ffn = shared;
  }
  std::vector<std::string> types = keys.words("layer_types");
  if (types.empty()) types = keys.words("layers_block_type");
  const std::int64_t layers = read_layer_count(keys);
  for (std::int64_t i = 0; i < layers && keys.good(); ++i) {
    const bool attends = std::cmp_less(i, types.size()) &&
                         types[static_cast<std::size_t>(i)].ends_with("attention") &&
                         types[static_cast<std::size_t>(i)] != "linear_attention";
    network.layers.push_back(attends ? with_attention(state, attention) : state);
  }
}

// One mixer or one MLP per layer, each a letter: M, *, - or E.
void read_nemotron_h(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  network.tied = false;  // the class has a head of its own, whatever the key says
  network.extra_layers = keys.size_or_none({"num_nextn_predict_layers"}, kMostLayers);
  Layer attention;
  if (keys.has("attention_head_dim")) {
    attention.heads = keys.size({"num_attention_heads"}, kMostHeads);
    attention.kv_heads = keys.size({"num_key_value_heads"}, kMostHeads, 8);
    attention.key = attention.value = keys.size({"attention_head_dim"}, kMostHead);
    attention.mixer = Mixer::Attention;
    const bool bias = keys.truth("attention_bias", false);
    attention.q_bias = attention.k_bias = attention.v_bias = attention.out_bias = bias;
  } else {
    read_attention(keys, network,
                   OrdinaryDecoder{.qkv_bias = {"attention_bias", false},
                                   .out_bias = {"attention_bias", false},
                                   .kv_heads = 8,
                                   .head = 128},
                   attention);
  }
  attention.norms = 1;
  // transformers builds none for this class, whatever the key says.
  attention.q_bias = attention.k_bias = attention.v_bias = attention.out_bias = false;
  Layer state =
      read_mamba2_layer(keys, {"mamba_num_heads", "mamba_head_dim", "ssm_state_size", "n_groups",
                               "conv_kernel", "use_conv_bias", "use_bias", 128, 128, 8});
  state.norms = 1;
  Layer plain;
  plain.norms = 1;
  plain.mlp = Mlp::Plain;
  plain.mlp_bias = keys.truth("mlp_bias", false);
  plain.ffn = keys.size({"intermediate_size"}, kMostFfn, 21504);
  Layer sparse = plain;
  sparse.mlp = Mlp::Experts;
  sparse.gated_experts = false;
  sparse.ffn = keys.size({"moe_intermediate_size"}, kMostFfn, 7688);
  sparse.experts = keys.size({"n_routed_experts"}, kMostExperts, 8);
  sparse.chosen =
      keys.size({"num_experts_per_tok"}, sparse.experts, std::min<std::int64_t>(2, sparse.experts));
  sparse.shared = keys.size_or_none({"moe_shared_expert_intermediate_size"}, kMostFfn, 7688);
  if (keys.has("moe_latent_size"))
    keys.wrong("its experts work on a latent (\"moe_latent_size\"), which strata does not count");
  std::string pattern = keys.word("hybrid_override_pattern");
  for (const std::string& type : keys.words("layers_block_type")) {
    if (keys.has("hybrid_override_pattern")) break;
    const bool is_state = type == "mamba" || type == "linear_attention";
    pattern += is_state ? 'M' : type == "moe" ? 'E' : type == "mlp" ? '-' : '*';
  }
  if (keys.good() && pattern.empty()) keys.wrong("it has no \"hybrid_override_pattern\"");
  if (keys.good() && pattern.size() > static_cast<std::size_t>(kMostLayers))
    keys.wrong(fmt::format("it has {} layers, more than {}", pattern.size(), kMostLayers));
  for (const char letter : pattern) {
    if (!keys.good()) return;
    if (letter != 'M' && letter != '*' && letter != '-' && letter != 'E')
      return keys.wrong("its \"hybrid_override_pattern\" has letters other than M, *, - and E");
    network.layers.push_back(letter == 'M'   ? state
                             : letter == '*' ? attention
                             : letter == '-' ? plain
                                             : sparse);
  }
}

// Gated delta rule, and gated attention in every fourth layer.
void read_qwen3_next(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qkv_bias = {"attention_bias", false},
                                        .out_bias = {"attention_bias", false},
                                        .qk_norm = QkNorm::Head,
                                        .kv_heads = 2,
                                        .head = 256,
                                        .experts = ExpertsRule::Sparse,
                                        .usual_experts = 512,
                                        .usual_chosen = 10,
                                        .usual_expert_ffn = 512,
                                        .usual_shared = 512,
                                        .has_shared_gate = true};
  static constexpr OrdinaryDecoder kDense{.qkv_bias = {"attention_bias", false},
                                          .out_bias = {"attention_bias", false},
                                          .qk_norm = QkNorm::Head,
                                          .kv_heads = 4,
                                          .head = 256};
  const bool is_dense = !keys.has("num_experts") && !keys.has("moe_intermediate_size");
  read_ordinary(keys, network, is_dense ? kDense : kRow);
  if (!keys.good()) return;
  Layer delta;
  delta.mixer = Mixer::Delta;
  delta.norms = 2;
  delta.kernel = keys.size({"linear_conv_kernel_dim"}, 1024, 4);
  delta.key = keys.size({"linear_key_head_dim"}, kMostHead, 128);
  delta.value = keys.size({"linear_value_head_dim"}, kMostHead, 128);
  delta.kv_heads = keys.size({"linear_num_key_heads"}, kMostHeads, 16);
  delta.heads = keys.size({"linear_num_value_heads"}, kMostHeads, 32);
  const std::int64_t every = keys.size({"full_attention_interval"}, kMostLayers, 4);
  const std::vector<std::string> types = keys.words("layer_types");
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    layer.is_gated = true;
    const bool attends = i < types.size() ? types[i] == "full_attention"
                                          : (static_cast<std::int64_t>(i) + 1) % every == 0;
    if (attends) continue;
    Layer other = with_attention(layer, delta);
    other.shared_gate = layer.shared_gate;
    layer = other;
  }
}

void read_minimax(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{
      .kv_heads = 8, .experts = ExpertsRule::Plain, .usual_experts = 8, .usual_chosen = 2};
  read_ordinary(keys, network, kRow);
  const std::vector<std::string> types = keys.words("layer_types");
  const std::vector<std::int64_t> kinds = keys.wholes("attn_type_list");
  for (std::size_t i = 0; i < network.layers.size() && keys.good(); ++i) {
    const bool attends = i < types.size()   ? types[i] == "full_attention"
                         : i < kinds.size() ? kinds[i] != 0
                                            : i % 2 == 1;
    if (!attends) network.layers[i].mixer = Mixer::Lightning;
  }
}

void read_lfm2(Keys& keys, Network& network) {
  static constexpr OrdinaryDecoder kRow{.qk_norm = QkNorm::Head, .kv_heads = 8, .tied = true};
  read_ordinary(keys, network, kRow);
  if (!keys.good()) return;
  std::int64_t ffn = keys.size({"block_ff_dim", "intermediate_size"}, kMostFfn);
  if (keys.truth("block_auto_adjust_ff_dim", true)) {
    const double factor = keys.real_or(keys.json(), "block_ffn_dim_multiplier", 1.0);
    const std::int64_t step = keys.size({"block_multiple_of"}, kMostFfn, 256);
    if (keys.good() && !(factor > 0 && factor < 1000))
      keys.wrong("its block_ffn_dim_multiplier is not from 0 to 1000");
    if (!keys.good()) return;
    ffn = static_cast<std::int64_t>(factor * static_cast<double>(2 * ffn / 3));
    ffn = std::max<std::int64_t>((ffn + step - 1) / step, 1) * step;
  }
  Layer convolution;
  convolution.mixer = Mixer::Convolution;
  convolution.norms = 2;
  convolution.inner = network.hidden;
  convolution.kernel = keys.size({"conv_L_cache"}, 1024, 3);
  convolution.conv_bias = convolution.project_bias = keys.truth("conv_bias", false);
  const std::vector<std::int64_t> full = keys.wholes("full_attn_idxs");
  const std::vector<std::string> types = keys.words("layer_types");
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    layer.ffn = ffn;
    const bool attends = i < types.size()
                             ? types[i] == "full_attention"
                             : full.empty() || contains(full, static_cast<std::int64_t>(i));
    if (!attends) layer = with_attention(layer, convolution);
  }
}

// The first layers are dense.
void read_lfm2_experts(Keys& keys, Network& network) {
  read_lfm2(keys, network);
  const std::int64_t experts = keys.size({"num_experts"}, kMostExperts, 32);
  const std::int64_t chosen =
      keys.size({"num_experts_per_tok"}, experts, std::min<std::int64_t>(4, experts));
  const std::int64_t ffn = keys.size({"moe_intermediate_size"}, kMostFfn, 1792);
  const std::int64_t dense = keys.size_or_none({"num_dense_layers"}, kMostLayers, 2);
  const std::int64_t width = keys.size({"intermediate_size"}, kMostFfn, 7168);
  if (!keys.good()) return;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    Layer& layer = network.layers[i];
    layer.ffn = width;
    if (std::cmp_less(i, dense)) continue;
    layer.mlp = Mlp::Experts;
    layer.experts = experts;
    layer.chosen = chosen;
    layer.ffn = ffn;
  }
}

// Norms of the step, B and C have no weights.
void read_falcon_mamba(Keys& keys, Network& network) {
  read_mamba(keys, network);
  const std::int64_t inner = keys.size_or_none({"intermediate_size"}, kMostWidth);
  if (inner == 0) return;
  for (Layer& layer : network.layers) layer.inner = inner;
}

void read_rwkv(Keys& keys, Network& network) {
  read_outer(keys, network, false);
  network.final_norms = network.embedding_norms = 2;
  Layer layer;
  layer.mixer = Mixer::Rwkv;
  layer.mlp = Mlp::Rwkv;
  layer.norms = 4;
  layer.inner = keys.size({"attention_hidden_size"}, kMostWidth, network.hidden);
  layer.ffn = keys.size({"intermediate_size"}, kMostFfn, 4 * network.hidden);
  network.layers.assign(static_cast<std::size_t>(read_layer_count(keys)), layer);
}

constexpr ClassReader kClasses[] = {
    {"MambaForCausalLM", "mamba", read_mamba},
    {"Mamba2ForCausalLM", "mamba2", read_mamba2},
    {"JambaForCausalLM", "jamba", read_jamba},
    {"BambaForCausalLM", "bamba", read_bamba},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", read_granite_hybrid},
    {"NemotronHForCausalLM", "nemotron_h", read_nemotron_h},
    {"Qwen3NextForCausalLM", "qwen3_next", read_qwen3_next},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", read_qwen3_next},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", read_qwen3_next},
    {"MiniMaxForCausalLM", "minimax", read_minimax},
    {"Lfm2ForCausalLM", "lfm2", read_lfm2},
    {"Lfm2MoeForCausalLM", "lfm2_moe", read_lfm2_experts},
    {"FalconMambaForCausalLM", "falcon_mamba", read_falcon_mamba},
    {"RwkvForCausalLM", "rwkv", read_rwkv},
};

}  // namespace

std::span<const ClassReader> state_classes() { return kClasses; }

}  // namespace strata::llm
