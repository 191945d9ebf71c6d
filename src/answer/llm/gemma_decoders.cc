// Gemma 3n and 4: layers that share caches, an input of its own for each layer, and residual
// streams.
#include <algorithm>
#include <charconv>
#include <utility>

#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

constexpr Bias kByKey{"attention_bias", false};
constexpr OrdinaryDecoder k3n{.qkv_bias = kByKey,
                              .out_bias = kByKey,
                              .qk_norm = QkNorm::Head,
                              .heads = 8,
                              .kv_heads = 2,
                              .head = 256,
                              .window = WindowRule::Pattern,
                              .usual_window = 512,
                              .pattern = 5};
constexpr OrdinaryDecoder k4{.qkv_bias = kByKey,
                             .out_bias = kByKey,
                             .qk_norm = QkNorm::Head,
                             .heads = 8,
                             .kv_heads = 4,
                             .head = 256,
                             .window = WindowRule::Pattern,
                             .usual_window = 512,
                             .pattern = 6};

struct Sizes {
  std::int64_t hidden, vocab, context, layers, shared;
};

void read_common(Keys& keys, Network& network, const OrdinaryDecoder& row, const Sizes& usual) {
  network.hidden = keys.size({"hidden_size"}, kMostWidth, usual.hidden);
  network.vocab = keys.size({"vocab_size"}, kMostVocab, usual.vocab);
  network.max_context = keys.size_or_none({"max_position_embeddings"}, kMostContext, usual.context);
  network.tied = read_tied(keys, true);
  Layer layer;
  layer.norms = 4;
  read_attention(keys, network, row, layer);
  layer.mlp = Mlp::Gated;
  layer.side_input = keys.size_or_none({"hidden_size_per_layer_input"}, kMostWidth, 256);
  layer.extra_norms = layer.side_input > 0 ? 1 : 0;
  network.side_vocab =
      layer.side_input > 0 ? keys.size({"vocab_size_per_layer_input"}, kMostVocab, 262144) : 0;
  const std::int64_t layers = read_layer_count(keys, usual.layers);
  const std::int64_t shared =
      keys.size_or_none({"num_kv_shared_layers"}, kMostLayers, usual.shared);
  if (keys.good() && shared >= layers)
    keys.wrong(fmt::format("all of its {} layers share the cache of another", layers));
  if (!keys.good()) return;
  network.layers.assign(static_cast<std::size_t>(layers), layer);
  for (std::int64_t i = layers - shared; i < layers; ++i)
    network.layers[static_cast<std::size_t>(i)].shares_cache = true;
  read_windows(keys, network, row);
  if (keys.outer().contains("vision_config") || keys.outer().contains("audio_config"))
    network.notes.emplace_back("its towers for images and sound are not counted");
}

void read_gemma3n(Keys& keys, Network& network) {
  read_common(keys, network, k3n, {2048, 262400, 32768, 35, 15});
  const auto* width = keys.at(keys.json(), "intermediate_size");
  std::vector<std::int64_t> widths;
  if (width != nullptr && width->is_array()) widths = keys.wholes("intermediate_size");
  const std::int64_t all = widths.empty() ? keys.size({"intermediate_size"}, kMostFfn, 16384) : 0;
  const std::int64_t rank = keys.size({"laurel_rank"}, kMostWidth, 64);
  const std::int64_t streams = keys.size({"altup_num_inputs"}, 64, 4);
  if (keys.good() && !widths.empty() && widths.size() < network.layers.size())
    keys.wrong("its \"intermediate_size\" does not have all layers");
  for (std::size_t i = 0; i < network.layers.size() && keys.good(); ++i) {
    Layer& layer = network.layers[i];
    layer.ffn = widths.empty() ? all : std::clamp<std::int64_t>(widths[i], 1, kMostFfn);
    layer.low_rank = rank;
    layer.streams = streams;
    layer.extra_norms += 3;  // of the low-rank path and the router, and a scale of the streams
    if (i == 0) layer.stream_matrices += streams - 1;
    if (i + 1 == network.layers.size()) layer.stream_matrices += streams - 1;
  }
}

// Reads a layer's entry in `per_layer_config`, whose keys are layer numbers; 0 if there is none.
std::int64_t own_size(Keys& keys, std::size_t layer, const char* key) {
  const auto* all = keys.at(keys.json(), "per_layer_config");
  if (all == nullptr || !all->is_object()) return 0;
  for (const auto& [name, value] : all->items()) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || number != layer) continue;
    const auto found = value.is_object() ? value.find(key) : value.end();
    if (!value.is_object() || found == value.end() || !found->is_number_integer()) return 0;
    return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, kMostHeads);
  }
  return 0;
}

void read_gemma4(Keys& keys, Network& network) {
  read_common(keys, network, k4, {2304, 262144, 131072, 30, 0});
  const std::int64_t ffn = keys.size({"intermediate_size"}, kMostFfn, 9216);
  const std::int64_t head = keys.size({"global_head_dim"}, kMostHead, 512);
  const bool is_key = keys.truth("attention_k_eq_v", false);
  const std::int64_t kv_heads = keys.size_or_none({"num_global_key_value_heads"}, kMostHeads);
  const bool is_wide = keys.truth("use_double_wide_mlp", false);
  const bool has_experts = keys.truth("enable_moe_block", false);
  const std::int64_t experts = has_experts ? keys.size({"num_experts"}, kMostExperts) : 1;
  const std::int64_t chosen = has_experts ? keys.size({"top_k_experts"}, experts) : 1;
  const std::int64_t width = has_experts ? keys.size({"moe_intermediate_size"}, kMostFfn) : 1;
  for (std::size_t i = 0; i < network.layers.size() && keys.good(); ++i) {
    Layer& layer = network.layers[i];
    if (i + 1 == network.layers.size()) layer.window = 0;
    layer.ffn = is_wide && layer.shares_cache ? 2 * ffn : ffn;
    if (layer.window == 0) {
      const std::int64_t own = own_size(keys, i, "head_dim");
      const std::int64_t own_heads = own_size(keys, i, "num_key_value_heads");
      layer.key = layer.value = own > 0 ? own : head;
      if (own_heads > 0)
        layer.kv_heads = own_heads;
      else if (kv_heads > 0 && is_key)
        layer.kv_heads = kv_heads;
      layer.value_is_key = is_key;
      if (layer.heads % layer.kv_heads != 0)
        keys.wrong(fmt::format("its {} heads are not divided by {} heads of keys and values",
                               layer.heads, layer.kv_heads));
    }
    if (!has_experts) continue;
    layer.mlp = Mlp::Experts;
    layer.shared = layer.ffn;
    layer.ffn = width;
    layer.experts = experts;
    layer.chosen = chosen;
    layer.router_scales = true;
    layer.extra_norms += 3;
  }
}

constexpr ClassReader kClasses[] = {
    {"Gemma3nForCausalLM", "gemma3n_text", read_gemma3n},
    {"Gemma3nForConditionalGeneration", "gemma3n", read_gemma3n},
    {"Gemma4ForCausalLM", "gemma4_text", read_gemma4},
    {"Gemma4ForConditionalGeneration", "gemma4", read_gemma4},
};

}  // namespace

std::span<const ClassReader> gemma_classes() { return kClasses; }

}  // namespace strata::llm
