// tests/zoo/sources.csv has what transformers counts for all sizes without a cache.
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

constexpr std::int64_t kWidth = 384;
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kSounds = 1500;

// For each of `length` tokens after `past` ones: four projections for the text, two for the sound,
// whose keys and values are there, and an MLP of four times the width.
Expr step_by_hand(const Expr& length, const Expr& past) {
  const Expr attention = length * (past + length + kSounds) * (2 * kWidth);
  return (length * (14 * kWidth * kWidth) + attention) * kLayers;
}

NodeCost total(std::string_view name) {
  const auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return count(network->model).total;
}

TEST(Whisper, AStepOfItsDecoderFollowsFromItsSizes) {
  EXPECT_EQ(total("whisper?cache=on&sequence=1&past=9").macs, step_by_hand(1, 9));
  EXPECT_EQ(total("whisper?cache=on&sequence=S&past=P&batch=B").macs,
            step_by_hand(Expr::symbol("S"), Expr::symbol("P")) * Expr::symbol("B"));
}

// The encoder and what makes keys and values of the sound are left out. Biases: 3 of the text's
// attention, 2 of the sound's, 4 + 1 of the MLP; three norms.
TEST(Whisper, AStepHasTheWeightsOfTheDecoder) {
  constexpr std::int64_t kLayer = 14 * kWidth * kWidth + (10 + 6) * kWidth;
  EXPECT_EQ(total("whisper?cache=on").params,
            Expr((51865 + 448) * kWidth + kLayers * kLayer + 2 * kWidth));
}

TEST(Whisper, OnlyTheTextsCacheGrows) {
  const auto network = build("whisper?cache=on&batch=B&sequence=1&past=P");
  ASSERT_TRUE(network) << network.error().message;
  const Graph& graph = network->model.graph();
  const auto shape = [&](TensorId id) {
    return std::string(graph.tensors[id].name) + " " + text(graph.tensors[id].type->dims);
  };
  ASSERT_EQ(graph.inputs.size(), 1u + 4 * 4);
  EXPECT_EQ(shape(graph.inputs[1]), "past_key_values.0.decoder.key B×6×P×64");
  EXPECT_EQ(shape(graph.inputs[4]), "past_key_values.0.encoder.value B×6×1500×64");
  ASSERT_EQ(graph.outputs.size(), 1u + 4 * 2);
  EXPECT_EQ(shape(graph.outputs[8]), "present.3.decoder.value B×6×(P + 1)×64");
}

TEST(Whisper, RefusesMoreTokensThanPositions) {
  EXPECT_EQ(build("whisper?sequence=449").error().message,
            "zoo:whisper?sequence=449: there are 448 positions, and 449 tokens");
}

}  // namespace
}  // namespace strata::zoo
