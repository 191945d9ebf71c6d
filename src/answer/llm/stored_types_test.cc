// Matrices have the bytes that headers of safetensors files state: the oracle is the sum over the
// tensors of a file as its makers name them.
#include "llm/stored_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include <fmt/format.h>

#include "strata/cost/cost.h"
#include "strata/llm/graph.h"
#include "strata/llm/read.h"
#include "strata/llm/weights.h"

namespace strata::llm {
namespace {

using ::testing::HasSubstr;

class Header {
 public:
  Header() { weights_.path = "folder/model.safetensors"; }
  Header& add(std::string name, std::uint64_t elements, double bytes_each) {
    const auto bytes = static_cast<std::uint64_t>(static_cast<double>(elements) * bytes_each + 0.5);
    weights_.tensors.push_back({.name = std::move(name), .elements = elements, .bytes = bytes});
    sum_ += bytes;
    return *this;
  }
  const Weights& weights() const { return weights_; }
  double bytes() const { return static_cast<double>(sum_); }

 private:
  Weights weights_;
  std::uint64_t sum_ = 0;
};

Network small(const char* cls, const char* more) {
  const std::string json = fmt::format(
      R"({{"architectures": ["{}"], "hidden_size": 256, "num_hidden_layers": 2,
          "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "vocab_size": 1000,
          "intermediate_size": 512, "torch_dtype": "bfloat16"{}}})",
      cls, more);
  auto network = read_config(json, "config.json");
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

double counted_bytes(const Network& network) {
  const auto built = build_graph(network, {.sequence = 1});
  EXPECT_TRUE(built) << built.error().message;
  return static_cast<double>(count(built->model).total.param_bytes.number().value_or(0));
}

// One scale of 4 bytes for each 128×128 of an fp8 matrix.
TEST(StoredTypes, Fp8WithItsScales) {
  Network network = small("LlamaForCausalLM", "");
  Header header;
  header.add("model.embed_tokens.weight", 256000, 2).add("lm_head.weight", 256000, 2);
  header.add("model.norm.weight", 256, 2);
  for (int i = 0; i < 2; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    header.add(layer + "input_layernorm.weight", 256, 2);
    header.add(layer + "post_attention_layernorm.weight", 256, 2);
    for (const auto& [name, outputs, inputs] :
         {std::tuple{"self_attn.q_proj", 256, 256}, std::tuple{"self_attn.k_proj", 128, 256},
          std::tuple{"self_attn.v_proj", 128, 256}, std::tuple{"self_attn.o_proj", 256, 256},
          std::tuple{"mlp.gate_proj", 512, 256}, std::tuple{"mlp.up_proj", 512, 256},
          std::tuple{"mlp.down_proj", 256, 512}}) {
      const auto elements = static_cast<std::uint64_t>(outputs * inputs);
      header.add(layer + name + ".weight", elements, 1);
      header.add(layer + name + ".weight_scale_inv", elements / (128 * 128), 4);
    }
  }
  use_stored_types(header.weights(), network);
  ASSERT_FALSE(network.stored.empty());
  EXPECT_EQ(weight_bytes(network, *weight_scheme_of(network, "")).all(), header.bytes());
  EXPECT_EQ(counted_bytes(network), header.bytes());
  EXPECT_THAT(network.notes.back(), HasSubstr("bits per weight, by its header"));
}

// gpt-oss has blocks and scales of MXFP4 for both matrices of all experts, and one matrix for the
// gate and the values.
TEST(StoredTypes, BlocksOfExperts) {
  Network network =
      small("GptOssForCausalLM", R"(, "num_local_experts": 4, "num_experts_per_tok": 2)");
  Header header;
  header.add("model.embed_tokens.weight", 256000, 2).add("lm_head.weight", 256000, 2);
  double experts = 0;
  for (int i = 0; i < 2; ++i) {
    const std::string layer = fmt::format("model.layers.{}.", i);
    for (const char* name : {"q_proj", "o_proj"})
      header.add(layer + "self_attn." + name + ".weight", 256 * 256, 2)
          .add(layer + "self_attn." + name + ".bias", 256, 2);
    for (const char* name : {"k_proj", "v_proj"})
      header.add(layer + "self_attn." + name + ".weight", 128 * 256, 2)
          .add(layer + "self_attn." + name + ".bias", 128, 2);
    header.add(layer + "mlp.router.weight", 4 * 256, 2).add(layer + "mlp.router.bias", 4, 2);
    for (const auto& [name, elements] :
         {std::pair{"gate_up_proj", 4 * 1024 * 256}, std::pair{"down_proj", 4 * 256 * 512}}) {
      const auto count = static_cast<std::uint64_t>(elements);
      header.add(layer + "mlp.experts." + name + "_blocks", count / 2, 1);
      header.add(layer + "mlp.experts." + name + "_scales", count / 32, 1);
      experts += static_cast<double>(count) * 4.25 / 8;
    }
  }
  use_stored_types(header.weights(), network);
  ASSERT_FALSE(network.stored.empty()) << network.notes.back();
  EXPECT_NEAR(weight_bytes(network, *weight_scheme_of(network, "")).experts, experts, 1e-3);
}

TEST(StoredTypes, AnUnknownNameLeavesTheTypesOfTheConfiguration) {
  Network network = small("LlamaForCausalLM", "");
  Header header;
  header.add("transformer.something.weight", 1000, 1);
  use_stored_types(header.weights(), network);
  EXPECT_TRUE(network.stored.empty());
  EXPECT_THAT(network.notes.back(), HasSubstr("types are those of config.json"));
}

TEST(StoredTypes, ANewTypeIsNeverCountedAsF32) {
  auto network = read_config(
      R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 64, "num_hidden_layers": 1,
          "num_attention_heads": 4, "vocab_size": 10, "intermediate_size": 64,
          "torch_dtype": "float5_e3m1"})",
      "config.json");
  ASSERT_TRUE(network);
  EXPECT_EQ(network->weights, "bf16");
  ASSERT_FALSE(network->notes.empty());
  EXPECT_THAT(network->notes.back(), HasSubstr("\"float5_e3m1\""));
}

}  // namespace
}  // namespace strata::llm
