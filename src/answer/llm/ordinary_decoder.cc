#include "llm/ordinary_decoder.h"

#include <algorithm>
#include <utility>

namespace strata::llm {

namespace {

bool has_bias(Keys& keys, const Bias& bias) {
  return *bias.key == '\0' ? bias.otherwise : keys.truth(bias.key, bias.otherwise);
}

// True for each layer that has a window; empty: by another rule.
std::vector<bool> windowed_by_types(Keys& keys, std::size_t layers) {
  std::vector<bool> out;
  const std::vector<std::string> types = keys.words("layer_types");
  if (types.empty()) return out;
  if (types.size() < layers)
    keys.wrong(fmt::format("its \"layer_types\" has {} items for {} layers", types.size(), layers));
  for (std::size_t i = 0; i < layers && keys.good(); ++i) {
    if (types[i] != "full_attention" && types[i] != "sliding_attention" &&
        types[i] != "attention" && types[i] != "chunked_attention")
      keys.wrong(fmt::format("its \"layer_types\" names \"{}\", which strata does not know here",
                             types[i].substr(0, 60)));
    out.push_back(types[i] == "sliding_attention" || types[i] == "chunked_attention");
  }
  return out;
}

// `LLLG`: three layers with a window, then one that sees everything. Empty: a number, or nothing.
std::string pattern_letters(Keys& keys) {
  const auto* value = keys.at(keys.json(), "sliding_window_pattern");
  if (value == nullptr || !value->is_string()) return "";
  std::string letters = keys.word("sliding_window_pattern");
  if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos)
    keys.wrong("its \"sliding_window_pattern\" has letters other than L and G");
  return letters;
}

}  // namespace

void read_attention(Keys& keys, const Network& network, const OrdinaryDecoder& row, Layer& layer) {
  layer.mixer = Mixer::Attention;
  layer.heads = keys.size({"num_attention_heads", "n_head", "n_heads"}, kMostHeads, row.heads);
  layer.kv_heads = keys.size({"num_key_value_heads", "num_kv_heads"}, kMostHeads,
                             row.kv_heads == 0 ? layer.heads : row.kv_heads);
  std::int64_t usual = row.head;
  if (usual == 0 && !keys.has("head_dim")) {
    usual = std::max<std::int64_t>(network.hidden / layer.heads, 1);
    if (keys.good() && network.hidden % layer.heads != 0)
      keys.wrong(
          fmt::format("its width of {} is not divided by {} heads, and it has no "
                      "\"head_dim\"",
                      network.hidden, layer.heads));
  }
  layer.key = layer.value = keys.size({"head_dim"}, kMostHead, std::max<std::int64_t>(usual, 1));
  if (keys.good() && layer.heads % layer.kv_heads != 0)
    keys.wrong(fmt::format("its {} heads are not divided by {} heads of keys and values",
                           layer.heads, layer.kv_heads));
  layer.q_bias = layer.k_bias = layer.v_bias = has_bias(keys, row.qkv_bias);
  layer.out_bias = has_bias(keys, row.out_bias);
  if (*row.qk_norm_key == '\0' || keys.truth(row.qk_norm_key, false)) layer.qk_norm = row.qk_norm;
  layer.has_sinks = row.has_sinks;
}

void read_windows(Keys& keys, Network& network, const OrdinaryDecoder& row) {
  if (row.window == WindowRule::None) return;
  const std::size_t layers = network.layers.size();
  const bool must_be_used = row.window == WindowRule::Qwen || row.window == WindowRule::AllIfUsed ||
                            row.window == WindowRule::TypesIfUsed;
  const bool is_used = !must_be_used || keys.truth("use_sliding_window", false);
  // A null turns a window off that the class has otherwise.
  const std::int64_t usual = keys.names("sliding_window") ? 0 : row.usual_window;
  const std::int64_t window =
      keys.size_or_none({"sliding_window"}, kMostContext, must_be_used ? 4096 : usual);
  const std::vector<bool> types = windowed_by_types(keys, layers);
  const auto first = static_cast<std::size_t>(keys.size_or_none(
      {"max_window_layers"}, kMostLayers, row.window == WindowRule::Qwen ? 28 : 0));
  const std::string letters = pattern_letters(keys);
  const auto pattern =
      letters.empty()
          ? static_cast<std::size_t>(keys.size_or_none(
                {"sliding_window_pattern", "_sliding_window_pattern"}, kMostLayers, row.pattern))
          : letters.size();
  // One as long as any text makes no difference.
  if (!is_used || window == 0 || (network.max_context > 0 && window >= network.max_context)) return;
  for (std::size_t i = 0; i < layers && keys.good(); ++i) {
    bool has_window = true;
    if (!types.empty() && row.window != WindowRule::AllLayers)
      has_window = types[i];
    else if (row.window == WindowRule::Qwen)
      has_window = i >= first;
    else if (!letters.empty())
      has_window = letters[i % letters.size()] == 'L';
    else if (row.window == WindowRule::Pattern)
      has_window = pattern > 0 && (i + 1) % pattern != 0;
    else if (row.window == WindowRule::TypesIfUsed)
      has_window = false;
    if (has_window) network.layers[i].window = window;
  }
}

void read_routed_experts(Keys& keys, Network& network, const Layer& dense,
                         const OrdinaryDecoder& row) {
  const std::int64_t layers = read_layer_count(keys);
  Layer sparse = dense;
  sparse.mlp = Mlp::Experts;
  sparse.experts = keys.size({"n_routed_experts", "num_local_experts", "num_experts"}, kMostExperts,
                             row.usual_experts);
  sparse.chosen = keys.size({"num_experts_per_tok", "num_experts_per_token"}, sparse.experts,
                            std::min(sparse.experts, row.usual_chosen));
  sparse.ffn = keys.size({"moe_intermediate_size"}, kMostFfn, row.usual_expert_ffn);
  const std::int64_t shared =
      keys.size_or_none({"n_shared_experts", "num_shared_experts"}, kMostExperts,
                        keys.names("n_shared_experts") ? 0 : row.usual_shared);
  sparse.shared = shared * sparse.ffn;
  const std::int64_t first =
      keys.size_or_none({"first_k_dense_replace"}, kMostLayers, row.usual_dense);
  const std::int64_t every = keys.size({"moe_layer_freq"}, kMostLayers, 1);
  const std::vector<std::string> types = keys.words("mlp_layer_types");
  if (keys.good() && sparse.shared > kMostFfn)
    keys.wrong(fmt::format("its {} shared experts are too wide", shared));
  for (std::int64_t i = 0; i < layers && keys.good(); ++i) {
    bool is_sparse = i >= first && i % every == 0;
    if (std::cmp_less(i, types.size())) is_sparse = types[static_cast<std::size_t>(i)] == "sparse";
    network.layers.push_back(is_sparse ? sparse : dense);
  }
}

namespace {

void read_plain_experts(Keys& keys, const OrdinaryDecoder& row, Layer& layer) {
  layer.mlp = Mlp::Experts;
  layer.experts = keys.size({"num_local_experts", "num_experts"}, kMostExperts, row.usual_experts);
  layer.chosen = keys.size({"num_experts_per_tok", "experts_per_token"}, layer.experts,
                           std::min(layer.experts, row.usual_chosen));
  layer.expert_bias = layer.router_bias = row.expert_bias;
  if (*row.shared_key != '\0') layer.shared = keys.size_or_none({row.shared_key}, kMostFfn);
}

void read_sparse_experts(Keys& keys, Network& network, const Layer& dense, std::int64_t layers,
                         const OrdinaryDecoder& row) {
  Layer sparse = dense;
  sparse.mlp = Mlp::Experts;
  sparse.experts = keys.size({"num_experts", "num_local_experts"}, kMostExperts, row.usual_experts);
  sparse.chosen = keys.size({"num_experts_per_tok"}, sparse.experts,
                            std::min(sparse.experts, row.usual_chosen));
  sparse.ffn = keys.size({"moe_intermediate_size"}, kMostFfn, row.usual_expert_ffn);
  if (row.usual_shared > 0) {
    sparse.shared = keys.size({"shared_expert_intermediate_size"}, kMostFfn, row.usual_shared);
    sparse.shared_gate = row.has_shared_gate;
  }
  const std::int64_t step = keys.size({"decoder_sparse_step"}, kMostLayers, 1);
  const std::vector<std::int64_t> only = keys.wholes("mlp_only_layers");
  for (std::int64_t i = 0; i < layers && keys.good(); ++i) {
    const bool is_dense =
        (i + 1) % step != 0 || std::find(only.begin(), only.end(), i) != only.end();
    network.layers.push_back(is_dense ? dense : sparse);
  }
}

}  // namespace

void read_ordinary(Keys& keys, Network& network, const OrdinaryDecoder& row) {
  network.hidden = keys.size({"hidden_size", "n_embd", "d_model"}, kMostWidth);
  network.vocab = keys.size({"vocab_size"}, kMostVocab, row.usual_vocab);
  network.max_context =
      keys.size_or_none({"max_position_embeddings"}, kMostContext, row.usual_context);
  network.tied = read_tied(keys, row.tied);
  network.head_bias = has_bias(keys, row.head_bias);
  network.final_norms = row.final_norms;
  network.is_fused = row.is_fused;
  network.extra_layers = keys.size_or_none({"num_nextn_predict_layers"}, kMostLayers);
  Layer layer;
  layer.norms = row.norms;
  read_attention(keys, network, row, layer);
  layer.mlp = row.mlp;
  layer.mlp_bias = has_bias(keys, row.mlp_bias);
  // Experts may be all there is.
  const bool may_lack_ffn =
      row.experts == ExpertsRule::Sparse || row.experts == ExpertsRule::Routed;
  layer.ffn = may_lack_ffn ? keys.size({"intermediate_size"}, kMostFfn, 1)
                           : keys.size({"intermediate_size"}, kMostFfn);
  const std::int64_t layers = read_layer_count(keys);
  if (!keys.good()) return;
  if (row.experts == ExpertsRule::Sparse) {
    read_sparse_experts(keys, network, layer, layers, row);
  } else if (row.experts == ExpertsRule::Routed) {
    read_routed_experts(keys, network, layer, row);
  } else {
    if (row.experts == ExpertsRule::Plain) read_plain_experts(keys, row, layer);
    network.layers.assign(static_cast<std::size_t>(layers), layer);
  }
  read_windows(keys, network, row);
}

Layer with_attention(const Layer& layer, const Layer& from) {
  Layer out = from;
  out.norms = layer.norms;
  out.mlp = layer.mlp;
  out.mlp_bias = layer.mlp_bias;
  out.ffn = layer.ffn;
  out.experts = layer.experts;
  out.chosen = layer.chosen;
  out.shared = layer.shared;
  out.gated_experts = layer.gated_experts;
  out.shared_gate = layer.shared_gate;
  return out;
}

}  // namespace strata::llm
