// Linear attention, gated delta rules and short convolutions, between layers of attention.
#include <algorithm>
#include <utility>

#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

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
    layer = with_attention(layer, delta);
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
    const bool attends =
        i < types.size() ? types[i] == "full_attention"
                         : full.empty() || std::find(full.begin(), full.end(),
                                                     static_cast<std::int64_t>(i)) != full.end();
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

constexpr ClassReader kClasses[] = {
    {"Qwen3NextForCausalLM", "qwen3_next", read_qwen3_next},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", read_qwen3_next},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", read_qwen3_next},
    {"MiniMaxForCausalLM", "minimax", read_minimax},
    {"Lfm2ForCausalLM", "lfm2", read_lfm2},
    {"Lfm2MoeForCausalLM", "lfm2_moe", read_lfm2_experts},
};

}  // namespace

std::span<const ClassReader> linear_classes() { return kClasses; }

}  // namespace strata::llm
