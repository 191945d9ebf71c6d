// Decoders of equal layers: attention with full or windowed heads, then an MLP or experts. A class
// is a row that says where it departs from Llama; its defaults are those of transformers.
#include <algorithm>
#include <array>

#include "llm/ordinary_decoder.h"

namespace strata::llm {

namespace {

using D = OrdinaryDecoder;
constexpr Bias kAlways{"", true}, kByKey{"attention_bias", false},
    kByKeyYes{"attention_bias", true};

template <const OrdinaryDecoder& Row>
void read_row(Keys& keys, Network& network) {
  read_ordinary(keys, network, Row);
}

constexpr D kLlama{.qkv_bias = kByKey, .out_bias = kByKey, .mlp_bias = {"mlp_bias", false}};
constexpr D kMistral{.kv_heads = 8, .window = WindowRule::AllLayers, .usual_window = 4096};
constexpr D kMinistral{.kv_heads = 8, .window = WindowRule::Types, .usual_window = 4096};
constexpr D kMixtral{.kv_heads = 8,
                     .window = WindowRule::AllLayers,
                     .experts = ExpertsRule::Plain,
                     .usual_experts = 8,
                     .usual_chosen = 2};
constexpr D kQwen2{.qkv_bias = kAlways, .window = WindowRule::Qwen};
constexpr D kQwen3{.qkv_bias = kByKey,
                   .out_bias = kByKey,
                   .qk_norm = QkNorm::Head,
                   .head = 128,
                   .window = WindowRule::Qwen};
constexpr D kQwen3Moe{.qkv_bias = kByKey,
                      .out_bias = kByKey,
                      .qk_norm = QkNorm::Head,
                      .kv_heads = 4,
                      .window = WindowRule::AllIfUsed,
                      .experts = ExpertsRule::Sparse,
                      .usual_experts = 128,
                      .usual_chosen = 8,
                      .usual_expert_ffn = 768};
constexpr D kQwen2Moe{.qkv_bias = {"qkv_bias", true},
                      .window = WindowRule::Qwen,
                      .experts = ExpertsRule::Sparse,
                      .usual_experts = 60,
                      .usual_chosen = 4,
                      .usual_expert_ffn = 1408,
                      .usual_shared = 5632,
                      .has_shared_gate = true};
constexpr D kGemma{.qkv_bias = kByKey, .out_bias = kByKey, .head = 256, .tied = true};
constexpr D kGemma2{.qkv_bias = kByKey,
                    .out_bias = kByKey,
                    .heads = 8,
                    .kv_heads = 4,
                    .head = 256,
                    .norms = 4,
                    .window = WindowRule::Pattern,
                    .usual_window = 4096,
                    .pattern = 2,
                    .tied = true};
constexpr D kGemma3{.qkv_bias = kByKey,
                    .out_bias = kByKey,
                    .qk_norm = QkNorm::Head,
                    .heads = 8,
                    .kv_heads = 4,
                    .head = 256,
                    .norms = 4,
                    .window = WindowRule::Pattern,
                    .usual_window = 4096,
                    .pattern = 6,
                    .usual_vocab = 262208,
                    .usual_context = 131072,
                    .tied = true};
constexpr D kPhi3{.window = WindowRule::AllLayers, .is_fused = true};
constexpr D kPhimoe{.qkv_bias = kByKey,
                    .out_bias = kByKey,
                    .kv_heads = 8,
                    .norms = 4,
                    .final_norms = 2,
                    .window = WindowRule::AllLayers,
                    .experts = ExpertsRule::Plain,
                    .usual_experts = 16,
                    .usual_chosen = 2,
                    .head_bias = {"lm_head_bias", false}};
constexpr D kGptOss{.qkv_bias = kByKeyYes,
                    .out_bias = kByKeyYes,
                    .kv_heads = 8,
                    .head = 64,
                    .window = WindowRule::Pattern,
                    .usual_window = 128,
                    .pattern = 2,
                    .experts = ExpertsRule::Plain,
                    .usual_experts = 128,
                    .usual_chosen = 4,
                    .expert_bias = true,
                    .has_sinks = true};
constexpr D kGlm4Moe{.qkv_bias = kByKey,
                     .qk_norm = QkNorm::Head,
                     .qk_norm_key = "use_qk_norm",
                     .kv_heads = 8,
                     .experts = ExpertsRule::Routed,
                     .usual_experts = 128,
                     .usual_chosen = 8,
                     .usual_expert_ffn = 1408,
                     .usual_shared = 1,
                     .usual_dense = 1};
constexpr D kGlm{.qkv_bias = kByKeyYes, .kv_heads = 2, .head = 128};
constexpr D kGlm4{.qkv_bias = kByKeyYes, .kv_heads = 2, .head = 128, .norms = 4};
constexpr D kDots{.qkv_bias = kByKey,
                  .out_bias = kByKey,
                  .qk_norm = QkNorm::Head,
                  .window = WindowRule::Qwen,
                  .experts = ExpertsRule::Routed,
                  .usual_experts = 0};
constexpr D kCohere{.qkv_bias = kByKey,
                    .out_bias = kByKey,
                    .qk_norm = QkNorm::All,
                    .qk_norm_key = "use_qk_norm",
                    .norms = 1,
                    .tied = true};
constexpr D kCohere2{.qkv_bias = kByKey,
                     .out_bias = kByKey,
                     .norms = 1,
                     .window = WindowRule::Pattern,
                     .usual_window = 4096,
                     .pattern = 4,
                     .tied = true};
constexpr D kOlmo{.qkv_bias = kByKey, .out_bias = kByKey, .norms = 0, .final_norms = 0};
constexpr D kOlmo2{.qkv_bias = kByKey, .out_bias = kByKey, .qk_norm = QkNorm::All};
constexpr D kOlmo3{.qkv_bias = kByKey,
                   .out_bias = kByKey,
                   .qk_norm = QkNorm::All,
                   .window = WindowRule::Pattern,
                   .usual_window = 4096,
                   .pattern = 4};
constexpr D kOlmoe{.qkv_bias = kByKey,
                   .out_bias = kByKey,
                   .qk_norm = QkNorm::All,
                   .experts = ExpertsRule::Plain,
                   .usual_experts = 64,
                   .usual_chosen = 8};
constexpr D kStarcoder2{.qkv_bias = {"use_bias", true},
                        .out_bias = {"use_bias", true},
                        .mlp_bias = {"use_bias", true},
                        .kv_heads = 2,
                        .norms = 4,
                        .final_norms = 2,
                        .window = WindowRule::AllLayers,
                        .mlp = Mlp::Plain,
                        .tied = true};
constexpr D kSmolLm3{.qkv_bias = kByKey,
                     .out_bias = kByKey,
                     .mlp_bias = {"mlp_bias", false},
                     .kv_heads = 4,
                     .window = WindowRule::TypesIfUsed,
                     .tied = true};
constexpr D kGraniteMoe{.qkv_bias = kByKey,
                        .out_bias = kByKey,
                        .experts = ExpertsRule::Plain,
                        .usual_experts = 8,
                        .usual_chosen = 2};
constexpr D kGraniteMoeShared{.qkv_bias = kByKey,
                              .out_bias = kByKey,
                              .experts = ExpertsRule::Plain,
                              .usual_experts = 8,
                              .usual_chosen = 2,
                              .shared_key = "shared_intermediate_size"};
constexpr D kNemotron{.qkv_bias = kByKey,
                      .out_bias = kByKey,
                      .mlp_bias = {"mlp_bias", false},
                      .norms = 4,
                      .final_norms = 2,
                      .mlp = Mlp::Plain};
constexpr D kMiniMaxM2{.qk_norm = QkNorm::All,
                       .kv_heads = 8,
                       .experts = ExpertsRule::Plain,
                       .usual_experts = 256,
                       .usual_chosen = 8};
constexpr D kSeedOss{.qkv_bias = kByKeyYes,
                     .out_bias = {"attention_out_bias", false},
                     .mlp_bias = {"mlp_bias", false},
                     .kv_heads = 8,
                     .head = 128};
constexpr D kExaone4{
    .qk_norm = QkNorm::Head, .window = WindowRule::Pattern, .usual_window = 4096, .pattern = 4};
constexpr D kArcee{
    .qkv_bias = kByKey, .out_bias = kByKey, .mlp_bias = {"mlp_bias", false}, .mlp = Mlp::Plain};
constexpr D kHunYuan{.qkv_bias = kByKey, .out_bias = kByKey, .qk_norm = QkNorm::Head};
constexpr D kErnie{.qkv_bias = {"use_bias", false},
                   .out_bias = {"use_bias", false},
                   .mlp_bias = {"use_bias", false},
                   .kv_heads = 2,
                   .head = 128,
                   .tied = true};
constexpr D kMinistral3{.kv_heads = 8, .head = 128, .window = WindowRule::AllLayers};

// Parallel blocks have one norm.
void read_stablelm(Keys& keys, Network& network) {
  static constexpr D kRow{.qkv_bias = {"use_qkv_bias", false}, .norms = 4, .final_norms = 2};
  read_ordinary(keys, network, kRow);
  if (keys.truth("use_parallel_residual", false))
    for (Layer& layer : network.layers) layer.norms = 2;
  if (keys.truth("qk_layernorm", false))
    for (Layer& layer : network.layers) layer.qk_norm = QkNorm::All;
}

void read_phi(Keys& keys, Network& network) {
  static constexpr D kRow{.qkv_bias = kAlways,
                          .out_bias = kAlways,
                          .mlp_bias = kAlways,
                          .norms = 2,
                          .final_norms = 2,
                          .mlp = Mlp::Plain,
                          .head_bias = kAlways};
  read_ordinary(keys, network, kRow);
  if (!keys.truth("qk_layernorm", false)) return;
  for (Layer& layer : network.layers) layer.qk_norm = QkNorm::Head, layer.qk_norm_bias = true;
}

constexpr ClassReader kClasses[] = {
    {"LlamaForCausalLM", "llama", read_row<kLlama>},
    {"MistralForCausalLM", "mistral", read_row<kMistral>},
    {"MinistralForCausalLM", "ministral", read_row<kMinistral>},
    {"Ministral3ForCausalLM", "ministral3", read_row<kMinistral3>},
    {"MixtralForCausalLM", "mixtral", read_row<kMixtral>},
    {"Qwen2ForCausalLM", "qwen2", read_row<kQwen2>},
    {"Qwen3ForCausalLM", "qwen3", read_row<kQwen3>},
    {"Qwen3MoeForCausalLM", "qwen3_moe", read_row<kQwen3Moe>},
    {"Qwen2MoeForCausalLM", "qwen2_moe", read_row<kQwen2Moe>},
    {"GemmaForCausalLM", "gemma", read_row<kGemma>},
    {"Gemma2ForCausalLM", "gemma2", read_row<kGemma2>},
    {"Gemma3ForCausalLM", "gemma3_text", read_row<kGemma3>},
    {"Phi3ForCausalLM", "phi3", read_row<kPhi3>},
    {"PhimoeForCausalLM", "phimoe", read_row<kPhimoe>},
    {"GptOssForCausalLM", "gpt_oss", read_row<kGptOss>},
    {"Glm4MoeForCausalLM", "glm4_moe", read_row<kGlm4Moe>},
    {"GlmForCausalLM", "glm", read_row<kGlm>},
    {"Glm4ForCausalLM", "glm4", read_row<kGlm4>},
    {"Dots1ForCausalLM", "dots1", read_row<kDots>},
    {"CohereForCausalLM", "cohere", read_row<kCohere>},
    {"Cohere2ForCausalLM", "cohere2", read_row<kCohere2>},
    {"OlmoForCausalLM", "olmo", read_row<kOlmo>},
    {"Olmo2ForCausalLM", "olmo2", read_row<kOlmo2>},
    {"Olmo3ForCausalLM", "olmo3", read_row<kOlmo3>},
    {"OlmoeForCausalLM", "olmoe", read_row<kOlmoe>},
    {"Starcoder2ForCausalLM", "starcoder2", read_row<kStarcoder2>},
    {"SmolLM3ForCausalLM", "smollm3", read_row<kSmolLm3>},
    {"GraniteForCausalLM", "granite", read_row<kLlama>},
    {"GraniteMoeForCausalLM", "granitemoe", read_row<kGraniteMoe>},
    {"GraniteMoeSharedForCausalLM", "granitemoeshared", read_row<kGraniteMoeShared>},
    {"NemotronForCausalLM", "nemotron", read_row<kNemotron>},
    {"MiniMaxM2ForCausalLM", "minimax_m2", read_row<kMiniMaxM2>},
    {"SeedOssForCausalLM", "seed_oss", read_row<kSeedOss>},
    {"Exaone4ForCausalLM", "exaone4", read_row<kExaone4>},
    {"ArceeForCausalLM", "arcee", read_row<kArcee>},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", read_row<kHunYuan>},
    {"Ernie4_5ForCausalLM", "ernie4_5", read_row<kErnie>},
    {"StableLmForCausalLM", "stablelm", read_stablelm},
    {"PhiForCausalLM", "phi", read_phi},
};

}  // namespace

std::span<const ClassReader> decoder_classes() { return kClasses; }
const ClassReader& nearest_class() { return kClasses[0]; }

}  // namespace strata::llm
