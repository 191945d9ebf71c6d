#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

struct Shape {
  std::int64_t vocab, width, layers, heads, kv_heads, ffn;
  std::int64_t head() const { return width / heads; }
  std::string arguments() const {
    return fmt::format("vocab={}&width={}&layers={}&heads={}&kv_heads={}&ffn={}", vocab, width,
                       layers, heads, kv_heads, ffn);
  }
};
constexpr Shape kTinyLlama = {32000, 2048, 22, 32, 4, 5632};
constexpr Shape kShared = {1000, 64, 2, 4, 2, 176};  // two queries per key
constexpr Shape kPlain = {500, 96, 3, 6, 6, 256};    // one key per query

std::int64_t projections(const Shape& s) {
  return 2 * s.width * s.width + 2 * s.width * s.kv_heads * s.head() + 3 * s.width * s.ffn;
}

std::int64_t parameters(const Shape& s) {
  return 2 * s.vocab * s.width + s.layers * (projections(s) + 2 * s.width) + s.width;
}

// `length` tokens after `past` ones.
Expr macs(const Shape& s, const Expr& length, const Expr& past) {
  const Expr weights = length * (s.layers * projections(s) + s.width * s.vocab);
  return weights + length * (past + length) * (2 * s.layers * s.width);
}

Network built(const std::string& name) {
  auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return *std::move(network);
}

NodeCost total(const std::string& name) { return count(built(name).model).total; }

std::string shape_of(const Network& network, std::string_view tensor) {
  for (const Tensor& each : network.model.graph().tensors)
    if (each.name == tensor) return text(each.type->dims);
  return "no such tensor";
}

TEST(Decoder, ParametersOfTinyLlama) {
  EXPECT_EQ(parameters(kTinyLlama), 1100048384);
  EXPECT_EQ(total("llama").params.text(), "1100048384");
  EXPECT_EQ(total("llama?cache=on&past=7").params.text(), "1100048384");
}

TEST(Decoder, MacsWithoutACache) {
  const Expr length = Expr::symbol("S");
  EXPECT_EQ(total("llama").macs, macs(kTinyLlama, 128, 0));
  EXPECT_EQ(total("llama?sequence=S").macs, macs(kTinyLlama, length, 0));
  for (const Shape& shape : {kShared, kPlain}) {
    const NodeCost cost = total("llama?sequence=S&batch=B&" + shape.arguments());
    EXPECT_EQ(cost.macs, macs(shape, length, 0) * Expr::symbol("B"));
    EXPECT_EQ(cost.params, Expr(parameters(shape)));
    EXPECT_EQ(cost.certainty, Certainty::Exact);
  }
}

TEST(Decoder, MacsWithACache) {
  const Expr length = Expr::symbol("S");
  const Expr past = Expr::symbol("P");
  EXPECT_EQ(total("llama?cache=on&sequence=1&past=2047").macs, macs(kTinyLlama, 1, 2047));
  EXPECT_EQ(total("llama?cache=on&sequence=1&past=P").macs, macs(kTinyLlama, 1, past));
  for (const Shape& shape : {kShared, kPlain})
    EXPECT_EQ(total("llama?cache=on&sequence=S&past=P&" + shape.arguments()).macs,
              macs(shape, length, past));
}

TEST(Decoder, TheCacheGrowsByTheTokensGiven) {
  const Network open = built("llama_small?cache=on&batch=B&sequence=S&past=P");
  EXPECT_EQ(shape_of(open, "past_key_values.1.key"), "B×2×P×16");
  EXPECT_EQ(shape_of(open, "present.1.key"), "B×2×(P + S)×16");
  EXPECT_EQ(shape_of(open, "present.0.value"), "B×2×(P + S)×16");
  EXPECT_EQ(shape_of(open, "logits"), "B×S×1000");
  EXPECT_EQ(open.model.graph().outputs.size(), 5u);
  EXPECT_TRUE(open.inference.unsupported.empty());

  const Network plain = built("llama_small");
  EXPECT_EQ(plain.model.graph().inputs.size(), 1u);
  EXPECT_EQ(plain.model.graph().outputs.size(), 1u);
}

TEST(Decoder, ModulesAreNamedAsHuggingFaceNamesThem) {
  const Network network = built("llama_small");
  std::vector<std::string_view> weights;
  for (const Tensor& tensor : network.model.graph().tensors)
    if (tensor.role == Role::Initializer && !tensor.name.starts_with("constant_"))
      weights.push_back(tensor.name);
  EXPECT_THAT(
      weights,
      testing::IsSupersetOf(
          {"model.embed_tokens.weight", "model.layers.0.input_layernorm.weight",
           "model.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.k_proj.weight",
           "model.layers.0.self_attn.v_proj.weight", "model.layers.0.self_attn.o_proj.weight",
           "model.layers.1.post_attention_layernorm.weight", "model.layers.1.mlp.gate_proj.weight",
           "model.layers.1.mlp.up_proj.weight", "model.layers.1.mlp.down_proj.weight",
           "model.norm.weight", "lm_head.weight"}));
  EXPECT_EQ(weights.size(), 3u + 2 * 9);
}

// Squares and angles are computed in f32; values between layers are half precision.
TEST(Decoder, HalfPrecisionEndsInHalfPrecision) {
  const Network network = built("llama_small?dtype=f16&cache=on");
  for (TensorId id : network.model.graph().outputs)
    EXPECT_EQ(network.model.graph().tensors[id].type->dtype, DType::F16);
}

TEST(Decoder, RefusesHeadsThatDoNotDivide) {
  EXPECT_EQ(build("llama?heads=30").error().message,
            "zoo:llama?heads=30: a width of 2048 gives 30 heads no even number of channels");
  EXPECT_EQ(build("llama?kv_heads=3").error().message,
            "zoo:llama?kv_heads=3: 32 heads cannot share 3 keys and values equally");
}

}  // namespace
}  // namespace strata::zoo
