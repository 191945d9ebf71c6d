// `quantization_config` as publishers write it. The expected bytes are sums over the matrices
// of the model, with bits as each format defines them.
#include "llm/quantization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "strata/llm/read.h"
#include "strata/llm/weights.h"

namespace strata::llm {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two layers: attention of 196,608 and an MLP of 393,216 weights each; tables of 256,000.
constexpr double kAttention = 2 * 196608, kMlp = 2 * 393216, kTable = 256000, kNorms = 5 * 256;

Network quantized(const char* config, const char* more = "") {
  auto network = read_config(
      fmt::format(
          R"({{"architectures": ["LlamaForCausalLM"], "hidden_size": 256, "num_hidden_layers": 2,
              "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1000,
              "intermediate_size": 512, "torch_dtype": "bfloat16"{},
              "quantization_config": {}}})",
          more, config),
      "config.json");
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

double bits(const Network& network) {
  const auto scheme = weight_scheme_of(network, "");
  EXPECT_TRUE(scheme) << scheme.error().message;
  return weight_bytes(network, *scheme).all() * 8;
}

// W4A16 as llm-compressor writes it: a scale in bf16 for 128 weights, no zeros.
TEST(Quantization, CompressedIntegers) {
  const Network network = quantized(
      R"({"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": ["lm_head"],
          "config_groups": {"group_0": {"targets": ["Linear"], "input_activations": null,
            "weights": {"num_bits": 4, "type": "int", "group_size": 128, "strategy": "group",
                        "symmetric": true}}}})");
  EXPECT_EQ(network.weights, "int4");
  EXPECT_THAT(network.notes, IsEmpty());
  EXPECT_EQ(bits(network), (kAttention + kMlp) * 4.125 + (2 * kTable + kNorms) * 16);
}

// FP8 with a scale per channel, and a head that is quantized because nothing says otherwise.
TEST(Quantization, CompressedFloats) {
  const Network network = quantized(
      R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {
            "input_activations": {"num_bits": 8, "type": "float"},
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}})");
  EXPECT_EQ(network.weights, "fp8");
  EXPECT_EQ(bits(network), (kAttention + kMlp + kTable) * 8 + (kTable + kNorms) * 16);
}

TEST(Quantization, ModulesThatAreIgnored) {
  const char* form =
      R"({{"quant_method": "compressed-tensors", "ignore": ["lm_head", {}],
          "config_groups": {{"group_0": {{
            "weights": {{"num_bits": 4, "type": "int", "group_size": 32, "symmetric": true}}}}}}}})";
  const double rest = (2 * kTable + kNorms) * 16;
  EXPECT_EQ(bits(quantized(fmt::format(fmt::runtime(form), R"("re:.*self_attn.*")").c_str())),
            kAttention * 16 + kMlp * 4.5 + rest);
  EXPECT_EQ(bits(quantized(
                fmt::format(fmt::runtime(form), R"("re:.*mlp\\.(gate|up|gate_up|down)_proj.*")")
                    .c_str())),
            kAttention * 4.5 + kMlp * 16 + rest);
  EXPECT_EQ(bits(quantized(fmt::format(fmt::runtime(form), R"("model.layers.1")").c_str())),
            (kAttention + kMlp) / 2 * (16 + 4.5) + rest);
  // `mlp.gate` is a router, not a matrix of the MLP.
  EXPECT_EQ(bits(quantized(fmt::format(fmt::runtime(form), R"("mlp.gate")").c_str())),
            (kAttention + kMlp) * 4.5 + rest);
  const Network odd = quantized(fmt::format(fmt::runtime(form), R"("re:.*[0-9]+.*")").c_str());
  ASSERT_FALSE(odd.notes.empty());
  EXPECT_THAT(odd.notes.back(), HasSubstr("strata does not understand \"re:.*[0-9]+.*\""));
}

TEST(Quantization, GroupsOfGptqAndAwq) {
  const double rest = (2 * kTable + kNorms) * 16;
  // A scale in f16 and a zero of 4 bits for 32 weights; 3 bits with groups of 128.
  EXPECT_EQ(bits(quantized(R"({"quant_method": "awq", "bits": 4, "group_size": 32})")),
            (kAttention + kMlp) * (4 + 20.0 / 32) + rest);
  EXPECT_EQ(bits(quantized(R"({"quant_method": "gptq", "bits": 3, "group_size": 128})")),
            (kAttention + kMlp) * (3 + 19.0 / 128) + rest);
  EXPECT_EQ(bits(quantized(R"({"quant_method": "gptq", "bits": 8, "group_size": -1})")),
            (kAttention + kMlp) * 8 + rest);
}

TEST(Quantization, OthersThatEnginesRead) {
  const double rest = (2 * kTable + kNorms) * 16;
  EXPECT_EQ(bits(quantized(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})")),
            (kAttention + kMlp) * 4.5 + rest);
  // bitsandbytes: a scale in f32 for 64 weights, or a byte and a second scale.
  EXPECT_EQ(bits(quantized(R"({"quant_method": "bitsandbytes", "load_in_4bit": true})")),
            (kAttention + kMlp) * 4.5 + rest);
  EXPECT_EQ(bits(quantized(R"({"quant_method": "bitsandbytes", "load_in_8bit": true})")),
            (kAttention + kMlp) * 8 + rest);
}

TEST(Quantization, AnUnknownOneIsSaid) {
  const Network network = quantized(R"({"quant_method": "novel"})");
  EXPECT_EQ(network.weights, "bf16");
  ASSERT_FALSE(network.notes.empty());
  EXPECT_THAT(network.notes.back(), HasSubstr("strata does not know the quantization \"novel\""));
}

TEST(Quantization, PatternsOfModules) {
  const char* module = "model.layers.3.mlp.gate_proj";
  EXPECT_EQ(matches_module("mlp", module), true);
  EXPECT_EQ(matches_module("mlp.gate", module), false);
  EXPECT_EQ(matches_module("model.layers.3.mlp.gate_proj", module), true);
  EXPECT_EQ(matches_module("re:.*gate_proj$", module), true);
  EXPECT_EQ(matches_module("re:.*gate$", module), false);
  EXPECT_EQ(matches_module("re:model.layers.*mlp.*", module), true);
  EXPECT_EQ(matches_module("re:layers.*", module), false);
  EXPECT_EQ(matches_module("re:.*layers\\.3\\..*", module), true);
  EXPECT_EQ(matches_module("re:.*layers\\.4\\..*", module), false);
  EXPECT_EQ(matches_module("re:.*(a|b).*", module), std::nullopt);
  EXPECT_EQ(matches_module("", module), false);
}

}  // namespace
}  // namespace strata::llm
