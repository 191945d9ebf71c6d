// A decoder whose layers are attention and an MLP or experts, as a row of facts.
#pragma once

#include <cstdint>
#include <string_view>

#include "llm/config_keys.h"

namespace strata::llm {

// A bias that a key of config.json decides on, or, without a key, the class.
struct Bias {
  const char* key = "";
  bool otherwise = false;
};

enum class WindowRule : std::uint8_t {
  None,
  AllLayers,    // `sliding_window`, in all layers
  AllIfUsed,    // the same, if `use_sliding_window`
  Qwen,         // if `use_sliding_window`: from layer `max_window_layers` on, or `layer_types`
  Types,        // `layer_types`; all without
  TypesIfUsed,  // `layer_types`, if `use_sliding_window`
  Pattern,      // all but every `sliding_window_pattern`-th layer, or `layer_types`
};

enum class ExpertsRule : std::uint8_t {
  None,
  Plain,   // all layers; an expert is `intermediate_size` wide
  Sparse,  // Qwen: `decoder_sparse_step`, `mlp_only_layers`, `moe_intermediate_size`
  Routed,  // DeepSeek: dense first layers, shared experts as wide as n_shared_experts of them
};

struct OrdinaryDecoder {
  Bias qkv_bias = {}, out_bias = {}, mlp_bias = {};
  QkNorm qk_norm = QkNorm::None;
  const char* qk_norm_key = "";  // that turns it on; empty: it is always there
  // Where config.json has no such key: 0 is required of heads, as many as heads of kv_heads, and
  // the width divided by heads of head.
  std::int64_t heads = 0, kv_heads = 0, head = 0;
  int norms = 2, final_norms = 1;
  WindowRule window = WindowRule::None;
  std::int64_t usual_window = 0;  // 0: none
  std::int64_t pattern = 0;
  Mlp mlp = Mlp::Gated;
  ExpertsRule experts = ExpertsRule::None;
  std::int64_t usual_experts = 0, usual_chosen = 0, usual_expert_ffn = 0;
  std::int64_t usual_shared = 0;  // width for Sparse, number for Routed
  bool has_shared_gate = false;
  const char* shared_key = "";   // width of the shared expert of Plain
  std::int64_t usual_dense = 0;  // dense first layers of Routed
  bool expert_bias = false;      // also of the router
  bool has_sinks = false;
  std::int64_t usual_vocab = 0, usual_context = 0;
  bool tied = false;
  Bias head_bias = {};
  bool is_fused = false;
};

void read_ordinary(Keys& keys, Network& network, const OrdinaryDecoder& row);
// Parts of it, which other classes share.
void read_attention(Keys& keys, const Network& network, const OrdinaryDecoder& row, Layer& layer);
void read_windows(Keys& keys, Network& network, const OrdinaryDecoder& row);
// Experts as DeepSeek's configurations state them, and which layers have them.
void read_routed_experts(Keys& keys, Network& network, const Layer& dense,
                         const OrdinaryDecoder& row);

// The attention or the mixer of `from` in a layer, in place of its own.
Layer with_attention(const Layer& layer, const Layer& from);

}  // namespace strata::llm
