// Every number of tests/llm/golden.json, to the digit. tests/llm/README.md says how it was made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "strata/llm/count.h"
#include "strata/llm/read.h"
#include "strata/llm/weights.h"

namespace strata::llm {
namespace {

nlohmann::json golden() {
  std::ifstream file(std::string(STRATA_SOURCE_DIR) + "/tests/llm/golden.json");
  return nlohmann::json::parse(file);
}

// The golden multiply-accumulates of a token are those of a prompt divided by its length, with the
// fraction cut off. transformers pads a causal convolution with kernel−1 positions at its start and
// computes them, too; an engine's step does not. LFM2's prompt had 2048 tokens, the others' 64.
std::int64_t padded_convolutions(const Network& network) {
  double macs = 0;
  for (const Layer& layer : network.layers)
    for (const Matrix& matrix : matrices_of(layer, network.hidden))
      if (matrix.name == "conv1d")
        macs += static_cast<double>(matrix.macs()) * static_cast<double>(matrix.inputs - 1) /
                (layer.mixer == Mixer::Convolution ? 2048 : 64);
  return static_cast<std::int64_t>(macs);
}

TEST(Golden, AllNumbersAreEqual) {
  const nlohmann::json all = golden();
  ASSERT_EQ(all.size(), 54u);
  int compared = 0;
  for (const auto& item : all.items()) {
    const std::string& name = item.key();
    const nlohmann::json& expected = item.value();
    SCOPED_TRACE(name);
    const auto network = read_network("zoo:" + name);
    if (!network) {
      ADD_FAILURE() << network.error().message;
      continue;
    }
    const auto expect = [&](const char* key, auto found) {
      if (!expected.contains(key) || expected[key].is_null()) return;
      EXPECT_EQ(static_cast<std::int64_t>(found),
                static_cast<std::int64_t>(expected[key].get<double>()))
          << key;
      ++compared;
    };
    EXPECT_EQ(network->architecture, expected["architecture"].get<std::string>());
    const Parameters parameters = parameters_of(*network);
    expect("parameters", parameters.all);
    expect("active", parameters.active);
    expect("embedding", parameters.embedding);
    expect("experts_parameters", parameters.experts);
    expect("linear_macs_per_token", linear_macs(*network) + padded_convolutions(*network));
    const PairMacs pairs = pair_macs(*network);
    expect("attention_macs_per_pair_full", pairs.full);
    expect("attention_macs_per_pair_window", pairs.windowed);
    // transformers keeps all columns of convolutions, and states in f32.
    const CachePerToken cache = cache_of(*network, 2, {.keeps_kernel = true});
    expect("kv_bytes_per_token_full", cache.full);
    expect("kv_bytes_per_window_token", cache.windowed);
    expect("cross_kv_bytes", cache.cross);
    expect("state_bytes_per_sequence_transformers", cache.state);
    expect("state_bytes_per_sequence_f32", cache.state);
    EXPECT_EQ(network->tied, expected["tied"].get<bool>());
    std::int64_t window = 0, experts = 0, chosen = 0;
    for (const Layer& layer : network->layers) {
      window = std::max(window, layer.window);
      experts = std::max(experts, layer.experts);
      chosen = std::max(chosen, layer.chosen);
    }
    expect("window", window);
    // NemotronH's class has experts that the 56B model has no layer for.
    if (experts > 0) expect("experts", experts), expect("top_k", chosen);
  }
  EXPECT_GT(compared, 400);
}

// Configurations that nobody had in mind when the readers were written, counted with
// transformers 5.23 on meta tensors: parameters, and the cache that it makes for 32 tokens. Mistral
// Small 3.1 and Qwen2.5-VL are the totals of their published files.
TEST(Golden, OtherPublishedConfigurations) {
  std::ifstream file(std::string(STRATA_SOURCE_DIR) + "/tests/llm/others.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  ASSERT_EQ(all.size(), 68u);
  for (const auto& item : all.items()) {
    SCOPED_TRACE(item.key());
    const nlohmann::json& expected = item.value()["expected"];
    const auto network = read_config(item.value()["config"].dump(), item.key());
    if (!network) {
      ADD_FAILURE() << network.error().message;
      continue;
    }
    EXPECT_EQ(parameters_of(*network).all, expected["parameters"].get<std::int64_t>());
    if (!expected.contains("kv_bytes_of_32")) continue;
    EXPECT_EQ(cache_bytes(*network, 32, 2) - cache_of(*network, 2).state,
              expected["kv_bytes_of_32"].get<double>());
  }
}

// A class with a known language model inside is read, and a note says what is left out.
TEST(Golden, ALanguageModelInsideAnUnknownClass) {
  const auto of = [](const char* type) {
    return read_config(fmt::format(R"({{"architectures": ["NovelForConditionalGeneration"],
        "vision_config": {{}}, "text_config": {{"model_type": "{}", "hidden_size": 4096,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "vocab_size": 128256, "dtype": "bfloat16"}}}})",
                                   type),
                       "config.json");
  };
  const auto network = of("llama");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(parameters_of(*network).all, 8030261248);
  ASSERT_EQ(network->notes.size(), 1u);
  EXPECT_THAT(network->notes[0],
              ::testing::HasSubstr("read like LlamaForCausalLM, and what is around it is not"));
  const auto unknown = of("novel_text");
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, ::testing::HasSubstr("inside a \"text_config\""));
}

}  // namespace
}  // namespace strata::llm
