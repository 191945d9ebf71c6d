#include "strata/cost/cost.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

struct Counted {
  Model model;
  Costs costs;
};

Counted count_text(std::string_view text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  auto inferred = infer(*model);
  EXPECT_TRUE(inferred) << inferred.error().message;
  Costs costs = count(*model);
  return {std::move(*model), std::move(costs)};
}

TEST(Count, ConvolutionByHand) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,3,8,8]
    weight w f32[16,3,3,3]
    weight b f32[16]
    y = Conv(x, w, b) pads=1,1,1,1
    output y)");
  const NodeCost& cost = costs.total;
  EXPECT_EQ(cost.params, Expr(16 * 3 * 9 + 16));
  EXPECT_EQ(cost.macs, Expr(16 * 64 * 27));
  EXPECT_EQ(cost.adds, Expr(16 * 64));  // the bias
  EXPECT_EQ(cost.flops(), Expr(2 * 16 * 64 * 27 + 16 * 64));
  EXPECT_EQ(cost.read_bytes, Expr(4 * (3 * 64 + 432 + 16)));
  EXPECT_EQ(cost.weight_bytes, Expr(4 * (432 + 16)));
  EXPECT_EQ(cost.write_bytes, Expr(4 * 16 * 64));
  EXPECT_EQ(cost.certainty, Certainty::Exact);
}

TEST(Count, OpenBatchGivesFormulas) {
  const auto [model, costs] = count_text(R"(
    input x f32[N,100]
    weight w f32[100,10]
    y = MatMul(x, w)
    output y)");
  EXPECT_EQ(costs.total.macs, Expr::symbol("N") * 1000);
  EXPECT_EQ(costs.total.read_bytes, Expr::symbol("N") * 400 + 4000);  // weights once per batch
}

TEST(Count, NodesThatCostTheSameShareIt) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,100]
    a = Relu(x)
    b = Relu(a)
    c = Sigmoid(b)
    output c)");
  EXPECT_TRUE(is_same(costs.nodes[0].cost, costs.nodes[1].cost));
  EXPECT_FALSE(is_same(costs.nodes[1].cost, costs.nodes[2].cost));
  EXPECT_EQ(costs.nodes[1].cost->flops(), Expr(100));
  // A cast to the same type does not store it again.
  const Graph& graph = model.graph();
  EXPECT_TRUE(is_same(graph.tensors[graph.nodes[0].inputs[0]].type,
                      graph.tensors[graph.nodes[2].outputs[0]].type));
}

TEST(Count, WeightReadTwiceIsOneSetOfParameters) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,100]
    weight w f32[100,100]
    y = MatMul(x, w)
    z = MatMul(y, w)
    output z)");
  EXPECT_EQ(costs.total.params, Expr(10000));
  EXPECT_EQ(costs.total.macs, Expr(20000));
}

TEST(Count, MergedParametersBehindIdentityAreTheirOwn) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,4,8,8]
    weight w1 f32[4,4,1,1]
    weight w2 f32[4,4,1,1]
    weight b f32[4]
    b2 = Identity(b)
    y = Conv(x, w1, b)
    z = Conv(y, w2, b2)
    output z)");
  EXPECT_EQ(costs.total.params, Expr(16 + 16 + 4 + 4));
  EXPECT_EQ(costs.nodes[0].cost->params, Expr(0)) << "Identity passes them on";
  EXPECT_EQ(costs.nodes[2].cost->params, Expr(20));
}

TEST(Count, SettingsAndRunningStatisticsAreNoParameters) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,4,8,8]
    weight scale f32[4]
    weight bias f32[4]
    weight mean f32[4]
    weight var f32[4]
    weight low f32[]={0}
    weight high f32[]={6}
    y = BatchNormalization(x, scale, bias, mean, var)
    z = Clip(y, low, high)
    output z)");
  EXPECT_EQ(costs.total.params, Expr(8));
  EXPECT_EQ(costs.buffers, 8u);
}

TEST(Count, WhatStoredValuesDecideCostsNothing) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,4]
    weight a f32[4]
    weight b f32[4]
    c = Add(a, b)
    y = Mul(x, c)
    output y)");
  EXPECT_TRUE(costs.nodes[0].cost->folded);
  EXPECT_EQ(costs.total.adds, Expr(0));
  EXPECT_EQ(costs.total.muls, Expr(4));
  EXPECT_EQ(costs.total.params, Expr(8));
}

TEST(Count, UnknownOperatorMakesALowerBoundAndIsNamed) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,4]
    y = Relu(x)
    z = acme.Frobnicate(y)
    output z)");
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
  ASSERT_EQ(costs.unknown_ops.size(), 1u);
  EXPECT_EQ(costs.unknown_ops[0], "acme.Frobnicate (no rule)");
  EXPECT_TRUE(costs.nodes[1].cost->macs.is_unknown()) << "never 0";
}

TEST(Count, OperatorsWhoseWorkDependsOnTheDataAreNamedOnce) {
  const auto [model, costs] = count_text(R"(
    input boxes f32[1,6,4]
    input scores f32[1,2,6]
    y = NonMaxSuppression(boxes, scores)
    z = NonMaxSuppression(boxes, scores)
    output y
    output z)");
  EXPECT_EQ(costs.total.certainty, Certainty::LowerBound);
  EXPECT_TRUE(costs.unknown_ops.empty());
  ASSERT_EQ(costs.lower_bounds.size(), 1u);
  EXPECT_EQ(costs.lower_bounds[0],
            "NonMaxSuppression is counted as a lower bound: how many boxes are sorted and compared "
            "depends on the data");
}

// 4-bit weights: 64·32 weights in 32·2·16 bytes.
TEST(Count, PackedWeightsCountEachParameter) {
  const auto [model, costs] = count_text(R"(
    input x f32[1,64]
    weight packed u8[32,2,16]
    weight scales f32[64]
    y = com.microsoft.MatMulNBits(x, packed, scales) K=64 N=32 bits=4 block_size=32
    output y)");
  EXPECT_EQ(costs.total.params, Expr(64 * 32));
  EXPECT_EQ(costs.total.param_bytes, Expr(1024));
  EXPECT_EQ(costs.total.macs, Expr(64 * 32));
}

TEST(Count, ViewsMoveNothing) {
  const auto [model, costs] = count_text(R"(
    input x f32[2,8]
    weight shape i64[2]={4,4}
    y = Reshape(x, shape)
    output y)");
  EXPECT_TRUE(costs.nodes[0].cost->view);
  EXPECT_EQ(costs.total.read_bytes, Expr(0));
  EXPECT_EQ(costs.total.write_bytes, Expr(0));
}

}  // namespace
}  // namespace strata
