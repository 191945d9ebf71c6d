// State spaces, RWKV, and what mixes them with attention.
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
  sparse.expert_input = keys.size_or_none({"moe_latent_size"}, kMostWidth);
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
    {"FalconMambaForCausalLM", "falcon_mamba", read_falcon_mamba},
    {"RwkvForCausalLM", "rwkv", read_rwkv},
};

}  // namespace

std::span<const ClassReader> state_classes() { return kClasses; }

}  // namespace strata::llm
