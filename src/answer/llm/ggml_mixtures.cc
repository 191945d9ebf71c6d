#include "llm/ggml_mixtures.h"

namespace strata::llm {

namespace {

// Bits per weight with the scales of the blocks: Q4_0 is 18 bytes for 32 weights, Q4_K 144 for 256.
constexpr double kIq1S = 1.5625, kIq1M = 1.75, kIq2Xxs = 2.0625, kIq2Xs = 2.3125, kIq2S = 2.5625,
                 kQ2K = 2.625, kIq3Xxs = 3.0625, kIq3S = 3.4375, kQ3K = 3.4375, kIq4Xs = 4.25,
                 kMxfp4 = 4.25, kQ4K = 4.5, kQ40 = 4.5, kIq4Nl = 4.5, kQ41 = 5, kQ5K = 5.5,
                 kQ50 = 5.5, kQ51 = 6, kQ6K = 6.5625, kQ80 = 8.5;

// Routers, norms and biases stay in f32.
constexpr WeightScheme ggml(std::string_view name, double bits, double embedding, double head,
                            bool is_mixture = false, std::string_view about = {}) {
  return {.name = name,
          .linear = bits,
          .experts = bits,
          .router = 32,
          .head = head,
          .embedding = embedding,
          .vectors = 32,
          .is_ggml = true,
          .is_mixture = is_mixture,
          .about = about};
}

constexpr WeightScheme mxfp4_moe() {
  WeightScheme out =
      ggml("mxfp4_moe", kQ80, kQ80, kQ80, false, "llama.cpp's gpt-oss: experts in MXFP4, Q8_0");
  out.experts = kMxfp4;
  return out;
}

constexpr WeightScheme kSchemes[] = {
    ggml("q8_0", kQ80, kQ80, kQ80),
    ggml("q6_k", kQ6K, kQ6K, kQ6K),
    ggml("q5_k_m", kQ5K, kQ5K, kQ6K, true, "llama.cpp's mixture of Q5_K and Q6_K"),
    ggml("q5_k_s", kQ5K, kQ5K, kQ6K),
    ggml("q5_1", kQ51, kQ51, kQ6K),
    ggml("q5_0", kQ50, kQ50, kQ6K),
    ggml("q4_k_m", kQ4K, kQ4K, kQ6K, true, "llama.cpp's mixture of Q4_K and Q6_K"),
    ggml("q4_k_s", kQ4K, kQ4K, kQ6K, true),
    ggml("q4_1", kQ41, kQ41, kQ6K),
    ggml("q4_0", kQ40, kQ40, kQ6K),
    ggml("iq4_nl", kIq4Nl, kIq4Nl, kQ6K, true),
    ggml("iq4_xs", kIq4Xs, kIq4Xs, kQ6K, true),
    ggml("q3_k_l", kQ3K, kQ3K, kQ6K, true),
    ggml("q3_k_m", kQ3K, kQ3K, kQ6K, true),
    ggml("q3_k_s", kQ3K, kQ3K, kQ6K),
    ggml("iq3_m", kIq3S, kIq3S, kQ6K, true),
    ggml("iq3_s", kIq3S, kIq3S, kQ6K, true),
    ggml("iq3_xs", kIq3S, kIq3S, kQ6K, true),
    ggml("iq3_xxs", kIq3Xxs, kIq3S, kQ5K, true, "made with an importance matrix"),
    ggml("q2_k", kQ2K, kQ2K, kQ6K, true),
    ggml("q2_k_s", kQ2K, kQ2K, kQ6K, true),
    ggml("iq2_m", kIq2S, kIq3S, kQ5K, true),
    ggml("iq2_s", kIq2Xs, kIq3S, kQ5K, true),
    ggml("iq2_xs", kIq2Xs, kQ2K, kQ5K, true),
    ggml("iq2_xxs", kIq2Xxs, kQ2K, kQ5K, true),
    ggml("iq1_m", kIq1M, kQ2K, kQ5K, true),
    ggml("iq1_s", kIq1S, kQ2K, kQ5K, true),
    mxfp4_moe(),
};

enum class Where : unsigned char {
  All,
  FirstTwo,
  FirstFour,
  FirstSixteenth,
  FirstEighth,
  MiddleLayers,  // all but the first and the last eighth
  MoreBits,      // the first and the last eighth, and every third between: use_more_bits
};

struct Rule {
  std::string_view scheme;
  std::string_view matrix;  // `fused`: queries, keys and values in one
  double bits = 0;
  Where where = Where::All;
  bool if_shared = false;  // only where four queries or more share a head of keys
};

// llama_tensor_get_type_impl of llama.cpp (llama-quant.cpp); the first rule that fits counts. What
// it does for Falcon, and for models of eight experts (Mixtral), is left out.
constexpr Rule kRules[] = {
    {"q5_k_m", "fused", kQ6K},
    {"q5_k_m", "v_proj", kQ6K, Where::MoreBits},
    {"q5_k_m", "down_proj", kQ6K, Where::MoreBits},
    {"q4_k_m", "fused", kQ5K},
    {"q4_k_m", "v_proj", kQ6K, Where::MoreBits},
    {"q4_k_m", "down_proj", kQ6K, Where::MoreBits},
    {"q4_k_s", "v_proj", kQ5K, Where::FirstFour},
    {"q4_k_s", "down_proj", kQ5K, Where::FirstEighth},
    {"iq4_nl", "v_proj", kQ5K, Where::All, true},
    {"iq4_nl", "down_proj", kQ5K, Where::FirstEighth},
    {"iq4_xs", "v_proj", kQ5K, Where::All, true},
    {"iq4_xs", "down_proj", kQ5K, Where::FirstEighth},
    {"q3_k_l", "fused", kQ4K},
    {"q3_k_l", "v_proj", kQ5K},
    {"q3_k_l", "down_proj", kQ5K},
    {"q3_k_l", "o_proj", kQ5K},
    {"q3_k_m", "fused", kQ4K},
    {"q3_k_m", "v_proj", kQ5K, Where::FirstTwo},
    {"q3_k_m", "v_proj", kQ4K},
    {"q3_k_m", "down_proj", kQ5K, Where::FirstSixteenth},
    {"q3_k_m", "down_proj", kQ4K},
    {"q3_k_m", "o_proj", kQ4K},
    {"iq3_m", "fused", kQ4K},
    {"iq3_m", "v_proj", kQ4K},
    {"iq3_m", "o_proj", kQ4K},
    {"iq3_m", "down_proj", kQ4K, Where::FirstEighth},
    {"iq3_s", "v_proj", kQ4K, Where::All, true},
    {"iq3_xs", "v_proj", kQ4K, Where::All, true},
    {"iq3_xs", "q_proj", kIq3Xxs},
    {"iq3_xs", "k_proj", kIq3Xxs},
    {"iq3_xs", "gate_proj", kIq3Xxs, Where::MiddleLayers},
    {"iq3_xs", "up_proj", kIq3Xxs, Where::MiddleLayers},
    {"iq3_xxs", "v_proj", kQ4K, Where::All, true},
    {"iq3_xxs", "q_proj", kIq2S},
    {"iq3_xxs", "k_proj", kIq2S},
    {"iq3_xxs", "o_proj", kIq3S},
    {"q2_k", "v_proj", kQ4K, Where::All, true},
    {"q2_k", "v_proj", kQ3K},
    {"q2_k", "o_proj", kQ3K},
    {"q2_k", "down_proj", kQ3K},
    {"q2_k_s", "v_proj", kQ4K, Where::All, true},
    {"q2_k_s", "down_proj", kQ4K, Where::FirstEighth},
    {"iq2_m", "v_proj", kQ4K, Where::All, true},
    {"iq2_m", "v_proj", kIq3S},
    {"iq2_m", "o_proj", kIq3S},
    {"iq2_m", "down_proj", kIq3S, Where::FirstEighth},
    {"iq2_s", "v_proj", kQ4K, Where::All, true},
    {"iq2_s", "v_proj", kIq3S},
    {"iq2_s", "o_proj", kIq3S},
    {"iq2_s", "down_proj", kIq3S, Where::FirstEighth},
    {"iq2_xs", "v_proj", kQ4K, Where::All, true},
    {"iq2_xs", "v_proj", kQ2K},
    {"iq2_xs", "down_proj", kQ2K, Where::FirstEighth},
    {"iq2_xxs", "v_proj", kQ4K, Where::All, true},
    {"iq2_xxs", "v_proj", kQ2K},
    {"iq2_xxs", "down_proj", kQ2K, Where::FirstEighth},
    {"iq1_m", "v_proj", kQ4K, Where::All, true},
    {"iq1_m", "v_proj", kQ2K},
    {"iq1_m", "o_proj", kIq2Xxs},
    {"iq1_m", "down_proj", kQ2K, Where::FirstEighth},
    {"iq1_s", "v_proj", kQ4K, Where::All, true},
    {"iq1_s", "v_proj", kQ2K},
    {"iq1_s", "o_proj", kIq2Xxs},
    {"iq1_s", "down_proj", kQ2K, Where::FirstEighth},
};

bool is_in(Where where, std::size_t layer, std::size_t layers) {
  const std::size_t eighth = layers / 8, last = 7 * layers / 8;
  switch (where) {
    case Where::All:
      return true;
    case Where::FirstTwo:
      return layer < 2;
    case Where::FirstFour:
      return layer < 4;
    case Where::FirstSixteenth:
      return layer < layers / 16;
    case Where::FirstEighth:
      return layer < eighth;
    case Where::MiddleLayers:
      return layer >= eighth && layer < last;
    case Where::MoreBits:
      return layer < eighth || layer >= last || (layer - eighth) % 3 == 2;
  }
  return false;
}

}  // namespace

std::span<const WeightScheme> ggml_schemes() { return kSchemes; }

double ggml_mixture_bits(const Network& network, const WeightScheme& scheme, const Matrix& matrix,
                         std::size_t layer, double usual) {
  const Layer& own = network.layers[layer];
  const bool is_qkv = matrix.name == "q_proj" || matrix.name == "k_proj" || matrix.name == "v_proj";
  const std::string_view name = network.is_fused && is_qkv ? "fused" : matrix.name;
  const bool shares = own.kv_heads > 0 && own.heads / own.kv_heads >= 4;
  double bits = usual;
  for (const Rule& rule : kRules) {
    if (rule.scheme != scheme.name || rule.matrix != name) continue;
    if (rule.if_shared && !shares) continue;
    if (!is_in(rule.where, layer, network.layers.size())) continue;
    bits = rule.bits;
    break;
  }
  // Models of 80 layers whose queries share keys, Llama's 70B: their values are small.
  const bool is_70b = network.layers.size() == 80 && own.kv_heads < own.heads;
  if (name == "v_proj" && is_70b && (bits == kQ3K || bits == kQ4K)) bits = kQ5K;
  return bits;
}

}  // namespace strata::llm
