// Rows for classes of 2025 and 2026 whose layers are attention and an MLP or experts.
#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

using D = OrdinaryDecoder;
constexpr Bias kByKey{"attention_bias", false}, kByKeyYes{"attention_bias", true};

template <const OrdinaryDecoder& Row>
void read_row(Keys& keys, Network& network) {
  read_ordinary(keys, network, Row);
}

constexpr D kCwm{.head = 128, .window = WindowRule::Types, .usual_window = 8192};
constexpr D kExaoneMoe{.qk_norm = QkNorm::Head,
                       .window = WindowRule::Pattern,
                       .usual_window = 4096,
                       .pattern = 4,
                       .experts = ExpertsRule::Routed,
                       .usual_experts = 64,
                       .usual_chosen = 8,
                       .usual_expert_ffn = 1024,
                       .usual_shared = 1,
                       .usual_dense = 1};
constexpr D kFlexOlmo{.qkv_bias = kByKey,
                      .out_bias = kByKey,
                      .qk_norm = QkNorm::All,
                      .experts = ExpertsRule::Plain,
                      .usual_experts = 7,
                      .usual_chosen = 5};
constexpr D kGraniteWindow{.qkv_bias = kByKey,
                           .out_bias = kByKey,
                           .mlp_bias = {"mlp_bias", false},
                           .window = WindowRule::Types,
                           .usual_window = 128,
                           .has_sinks = true,
                           .tied = true};
constexpr D kGraniteWindowMoe{.qkv_bias = kByKey,
                              .out_bias = kByKey,
                              .window = WindowRule::Types,
                              .usual_window = 128,
                              .experts = ExpertsRule::Plain,
                              .usual_experts = 8,
                              .usual_chosen = 2,
                              .shared_key = "shared_intermediate_size",
                              .has_sinks = true};
constexpr D kJais2{.qkv_bias = kByKeyYes,
                   .out_bias = kByKeyYes,
                   .mlp_bias = {"mlp_bias", true},
                   .head = 128,
                   .norms = 4,
                   .final_norms = 2,
                   .mlp = Mlp::Plain};
constexpr D kMellum{.qkv_bias = kByKey,
                    .out_bias = kByKey,
                    .qk_norm = QkNorm::Head,
                    .kv_heads = 4,
                    .head = 128,
                    .window = WindowRule::Types,
                    .usual_window = 1024,
                    .experts = ExpertsRule::Routed,
                    .usual_experts = 64,
                    .usual_chosen = 8,
                    .usual_expert_ffn = 896};
// Its norms have no weights.
constexpr D kNanoChat{
    .qkv_bias = kByKey, .out_bias = kByKey, .norms = 0, .final_norms = 0, .mlp = Mlp::Plain};
constexpr D kSolarOpen{.qkv_bias = kByKey,
                       .kv_heads = 8,
                       .head = 128,
                       .experts = ExpertsRule::Routed,
                       .usual_experts = 128,
                       .usual_chosen = 8,
                       .usual_expert_ffn = 1280,
                       .usual_shared = 1};
constexpr D kVaultGemma{.qkv_bias = kByKey,
                        .out_bias = kByKey,
                        .heads = 8,
                        .kv_heads = 4,
                        .head = 256,
                        .window = WindowRule::Pattern,
                        .usual_window = 4096,
                        .pattern = 2,
                        .tied = true};
constexpr D kInternLm2{.qkv_bias = {"bias", true}, .out_bias = {"bias", true}, .is_fused = true};

void read_hyperclova(Keys& keys, Network& network) {
  static constexpr D kRow{.qkv_bias = kByKey, .out_bias = kByKey, .mlp_bias = {"mlp_bias", false}};
  read_ordinary(keys, network, kRow);
  if (!keys.truth("use_post_norm", true)) return;
  for (Layer& layer : network.layers) layer.norms = 4;
}

constexpr ClassReader kClasses[] = {
    {"CwmForCausalLM", "cwm", read_row<kCwm>},
    {"ExaoneMoeForCausalLM", "exaone_moe", read_row<kExaoneMoe>},
    {"FlexOlmoForCausalLM", "flex_olmo", read_row<kFlexOlmo>},
    {"GraniteSWAForCausalLM", "granite_swa", read_row<kGraniteWindow>},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", read_row<kGraniteWindowMoe>},
    {"HyperCLOVAXForCausalLM", "hyperclovax", read_hyperclova},
    {"InternLM2ForCausalLM", "internlm2", read_row<kInternLm2>},
    {"Jais2ForCausalLM", "jais2", read_row<kJais2>},
    {"MellumForCausalLM", "mellum", read_row<kMellum>},
    {"NanoChatForCausalLM", "nanochat", read_row<kNanoChat>},
    {"SolarOpenForCausalLM", "solar_open", read_row<kSolarOpen>},
    {"VaultGemmaForCausalLM", "vaultgemma", read_row<kVaultGemma>},
};

}  // namespace

std::span<const ClassReader> recent_classes() { return kClasses; }

}  // namespace strata::llm
