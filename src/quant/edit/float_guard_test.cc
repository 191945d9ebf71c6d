#include "edit/float_guard.h"

#include <cstring>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/edit/qdq.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class Guarded : public testing::Test {
 protected:
  void build(build::Builder net, const std::vector<std::string>& keep) {
    auto network = std::move(net).finish();
    ASSERT_TRUE(network) << network.error().message;
    network_ = std::move(*network);
    const auto layers = find_quant_layers(network_.model);
    QdqPlan plan;
    plan.fill = build::random_weights(network_.model, 0);
    for (const TensorId id : quant_tensors(network_.model, layers))
      plan.ranges[std::string(network_.model.graph().tensors[id].name)] = {-1, 3};
    plan.keep_float.layers = select_layers(network_.model, layers, keep).value();
    auto made = quantized(network_.model, layers, plan);
    ASSERT_TRUE(made) << made.error().message;
    made_ = std::move(*made);
    const auto inference = infer(made_.model);
    ASSERT_TRUE(inference) << inference.error().message;
  }
  const Graph& graph() const { return made_.model.graph(); }
  // The node of the layer whose node name contains this.
  Node node(std::string_view op, std::string_view layer) const {
    for (const Node& each : graph().nodes)
      if (each.op == op && each.name.find(layer) != each.name.npos) return each;
    ADD_FAILURE() << "no " << op << " of " << layer;
    return graph().nodes.front();
  }
  std::optional<Node> maker(TensorId id) const {
    const NodeId producer = graph().tensors[id].producer;
    return producer == kNone ? std::nullopt : std::optional<Node>(graph().nodes[producer]);
  }
  std::vector<float> floats(TensorId id) const {
    const std::string_view bytes = graph().tensors[id].data->bytes;
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  std::vector<std::int64_t> dims(TensorId id) const {
    const auto own = graph().tensors[id].data->dims;
    return {own.begin(), own.end()};
  }

  build::Network network_;
  QuantizedModel made_;
};

TEST_F(Guarded, AConvolutionReadsEqualScalesByChannel) {
  build::Builder net("Net");
  build::Var x = net.relu("r1", net.conv("c1", net.input("x", {1, 4, 8, 8}), 6));
  x = net.relu("r2", net.conv("c2", x, 6, {.groups = 2}));
  net.output("y", net.conv("c3", x, 4));
  build(std::move(net), {"c2"});
  const std::optional<Node> back = maker(node("Conv", "c2").inputs[0]);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->op, "DequantizeLinear");
  EXPECT_THAT(floats(back->inputs[1]), SizeIs(6));
  EXPECT_THAT(floats(back->inputs[1]), Each(floats(back->inputs[1])[0]));
  EXPECT_EQ(graph().tensors[back->inputs[2]].data->bytes.size(), 6u);
  // The others read one scale, to which all six are equal.
  const std::optional<Node> plain = maker(node("Conv", "c3").inputs[0]);
  EXPECT_THAT(dims(plain->inputs[1]), ElementsAre());
  const std::optional<Node> number = maker(back->inputs[0]);
  ASSERT_EQ(number->op, "QuantizeLinear");
  EXPECT_EQ(floats(number->inputs[1])[0], floats(back->inputs[1])[0]);
}

// After a convolution that gives whole numbers, with a bias and without.
TEST_F(Guarded, AProductHasItsBiasAsARow) {
  for (const bool bias : {true, false}) {
    build::Builder net("Net");
    build::Var x = net.relu("r1", net.conv("c1", net.input("x", {1, 4, 2, 2}), 6));
    const build::Var flat = net.flatten(x);
    x = net.relu("r2", net.linear("l1", flat, 5, bias));
    net.output("y", net.add(net.linear("l2", x, 5), net.linear("l3", flat, 5)));
    build(std::move(net), {"l1"});
    const Node& gemm = node("Gemm", "l1");
    ASSERT_EQ(gemm.inputs.size(), 3u);
    EXPECT_THAT(dims(gemm.inputs[2]), ElementsAre(1, 5));
    if (!bias) {
      EXPECT_THAT(floats(gemm.inputs[2]), Each(0.0F));
    }
  }
}

// After a convolution in float it reads floats, and needs no guard.
TEST_F(Guarded, WhatReadsFloatsStaysAsItIs) {
  build::Builder net("Net");
  build::Var x = net.relu("r1", net.conv("c1", net.input("x", {1, 4, 8, 8}), 6));
  x = net.relu("r2", net.conv("c2", x, 6));
  net.output("y", net.conv("c3", x, 4));
  build(std::move(net), {"c1", "c2"});
  EXPECT_EQ(maker(node("Conv", "c2").inputs[0])->op, "Relu");
  EXPECT_FALSE(maker(node("Conv", "c1").inputs[0]));
}

// An optimizer moves a DequantizeLinear past what only passes values on.
TEST_F(Guarded, BehindAPoolACopyStandsBetween) {
  build::Builder net("Net");
  build::Var x = net.relu("r1", net.conv("c1", net.input("x", {1, 4, 8, 8}), 6));
  x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
  x = net.relu("r2", net.conv("c2", x, 6));
  net.output("y", net.conv("c3", x, 4));
  build(std::move(net), {"c2"});
  const std::optional<Node> before = maker(node("Conv", "c2").inputs[0]);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->op == "Sum" ||
              (before->op == "DequantizeLinear" && !dims(before->inputs[1]).empty()))
      << before->op;
}

}  // namespace
}  // namespace strata
