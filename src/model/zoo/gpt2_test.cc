// tests/zoo/sources.csv has what transformers counts for all sizes without a cache.
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

constexpr std::int64_t kVocabulary = 50257;
constexpr std::int64_t kWidth = 768;
constexpr std::int64_t kLayers = 12;

// `length` tokens after `past` ones: three projections, one, and an MLP of four times the width.
Expr macs_by_hand(const Expr& length, const Expr& past) {
  const Expr weights = length * (kLayers * 12 * kWidth * kWidth + kWidth * kVocabulary);
  return weights + length * (past + length) * (2 * kLayers * kWidth);
}

NodeCost total(std::string_view name) {
  const auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return count(network->model).total;
}

TEST(Gpt2, MacsFollowFromItsSizes) {
  const Expr length = Expr::symbol("S");
  const Expr past = Expr::symbol("P");
  EXPECT_EQ(total("gpt2").macs, macs_by_hand(128, 0));
  EXPECT_EQ(total("gpt2?sequence=S&batch=B").macs, macs_by_hand(length, 0) * Expr::symbol("B"));
  EXPECT_EQ(total("gpt2?cache=on&sequence=1&past=1023").macs, macs_by_hand(1, 1023));
  EXPECT_EQ(total("gpt2?cache=on&sequence=S&past=P").macs, macs_by_hand(length, past));
}

// The last layer has the weight of the first, which is counted there.
TEST(Gpt2, ASharedWeightIsCountedOnce) {
  constexpr std::int64_t kLayer = 12 * kWidth * kWidth + 13 * kWidth;  // norms and biases: 13
  constexpr std::int64_t kAll = (kVocabulary + 1024) * kWidth + kLayers * kLayer + 2 * kWidth;
  EXPECT_EQ(total("gpt2").params, Expr(kAll));
  EXPECT_EQ(total("gpt2?cache=on").params, Expr(kAll));
}

TEST(Gpt2, TheCacheGrowsByTheTokensGiven) {
  const auto network = build("gpt2?cache=on&batch=B&sequence=S&past=P");
  ASSERT_TRUE(network) << network.error().message;
  const Graph& graph = network->model.graph();
  ASSERT_EQ(graph.outputs.size(), 25u);
  EXPECT_EQ(graph.tensors[graph.outputs[24]].name, "present.11.value");
  EXPECT_EQ(text(graph.tensors[graph.outputs[24]].type->dims), "B×12×(P + S)×64");
}

TEST(Gpt2, RefusesMoreTokensThanPositions) {
  EXPECT_TRUE(build("gpt2?sequence=1024"));
  EXPECT_EQ(build("gpt2?sequence=1025").error().message,
            "zoo:gpt2?sequence=1025: there are 1024 positions, and 1025 tokens");
  EXPECT_EQ(build("gpt2?cache=on&sequence=1&past=1024").error().message,
            "zoo:gpt2?cache=on&sequence=1&past=1024: there are 1024 positions, and 1025 tokens");
}

}  // namespace
}  // namespace strata::zoo
