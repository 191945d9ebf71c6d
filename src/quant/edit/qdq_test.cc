#include "strata/edit/qdq.h"

#include <cmath>
#include <cstring>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/build/weights.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Quantizing : public testing::Test {
 protected:
  void build(build::Builder net) {
    auto network = std::move(net).finish();
    ASSERT_TRUE(network) << network.error().message;
    network_ = std::move(*network);
    layers_ = find_quant_layers(network_.model);
    plan_.fill = build::random_weights(network_.model, 0);
    for (const TensorId id : quant_tensors(network_.model, layers_))
      plan_.ranges[std::string(network_.model.graph().tensors[id].name)] = {-1, 3};
  }
  // x → conv, norm, relu → conv, norm; + x → relu → pool → flatten → linear
  void build_block() {
    build::Builder net("Net");
    build::Var x = net.input("x", {1, 4, 8, 8});
    const build::Var start = net.relu("relu0", net.conv("conv0", x, 4));
    x = net.relu("relu1", net.batch_norm("norm1", net.conv("conv1", start, 4, {.bias = false})));
    x = net.batch_norm("norm2", net.conv("conv2", x, 4, {.bias = false}));
    x = net.relu("relu2", net.add(x, start));
    x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
    net.output("y", net.linear("fc", net.flatten(x), 5));
    build(std::move(net));
  }
  const Graph& run() {
    auto made = quantized(network_.model, layers_, plan_);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
    made_ = std::move(*made);
    auto inference = infer(made_.model);
    EXPECT_TRUE(inference) << inference.error().message;
    return made_.model.graph();
  }
  void keep(const std::string& name) {
    plan_.keep_float.layers = select_layers(network_.model, layers_, {name}).value();
  }

  static Node node(const Graph& graph, std::string_view op, std::size_t number = 0) {
    for (const Node& each : graph.nodes)
      if (each.op == op && number-- == 0) return each;
    ADD_FAILURE() << "no " << op;
    return graph.nodes.front();
  }
  static std::string maker(const Graph& graph, TensorId id) {
    const NodeId producer = graph.tensors[id].producer;
    return producer == kNone ? "" : std::string(graph.nodes[producer].op);
  }
  // Operators that read a tensor.
  static std::multiset<std::string> readers(const Graph& graph, TensorId id) {
    std::multiset<std::string> ops;
    for (const Node& each : graph.nodes)
      for (const TensorId in : each.inputs)
        if (in == id) ops.insert(std::string(each.op));
    return ops;
  }
  template <class T>
  static std::vector<T> items(const Graph& graph, TensorId id) {
    const std::string_view bytes = graph.tensors[id].data->bytes;
    std::vector<T> out(bytes.size() / sizeof(T));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }

  build::Network network_;
  std::vector<QuantLayer> layers_;
  QdqPlan plan_;
  QuantizedModel made_;
};

TEST_F(Quantizing, EveryKernelIsBetweenPairs) {
  build_block();
  const Graph& graph = run();
  EXPECT_THAT(made_.int8, ElementsAre(true, true, true, true));
  EXPECT_EQ(made_.int8_nodes, 4u);  // Add, Relu, MaxPool, Flatten
  EXPECT_TRUE(made_.excluded.empty());
  for (const Node& each : graph.nodes) {
    ASSERT_NE(each.op, "BatchNormalization");
    if (each.op != "Conv" && each.op != "Add" && each.op != "MaxPool" && each.op != "Gemm")
      continue;
    for (const TensorId id : each.inputs)
      EXPECT_EQ(maker(graph, id), "DequantizeLinear") << each.op;
    if (each.op == "Gemm")
      EXPECT_EQ(graph.tensors[each.outputs[0]].name, "y");  // the answer is not rounded
    else
      EXPECT_EQ(readers(graph, each.outputs[0]).size(), 1u) << each.name;
  }
  // The range does what a Relu does, so the Relu is between the kernel and its rounding.
  for (const Node& each : graph.nodes)
    if (each.op == "Relu") {
      EXPECT_THAT(readers(graph, each.outputs[0]), ElementsAre("QuantizeLinear"));
      EXPECT_NE(maker(graph, each.inputs[0]), "DequantizeLinear");
    }
}

TEST_F(Quantizing, WeightsAreInt8ByChannelAndBiasesInt32) {
  build_block();
  const Graph& graph = run();
  const Node& conv = node(graph, "Conv", 1);
  const Node& weight = graph.nodes[graph.tensors[conv.inputs[1]].producer];
  const Node& bias = graph.nodes[graph.tensors[conv.inputs[2]].producer];
  const Node& input = graph.nodes[graph.tensors[conv.inputs[0]].producer];
  EXPECT_EQ(graph.tensors[weight.inputs[0]].type->dtype, DType::I8);
  EXPECT_EQ(graph.tensors[bias.inputs[0]].type->dtype, DType::I32);
  EXPECT_EQ(graph.tensors[input.inputs[0]].type->dtype, DType::U8);
  const auto scales = items<float>(graph, weight.inputs[1]);
  const auto bias_scales = items<float>(graph, bias.inputs[1]);
  const auto input_scale = items<float>(graph, input.inputs[1]);
  ASSERT_EQ(scales.size(), 4u);
  for (std::size_t c = 0; c < 4; ++c) EXPECT_FLOAT_EQ(bias_scales[c], input_scale[0] * scales[c]);
  const auto numbers = items<std::int8_t>(graph, weight.inputs[0]);
  for (std::size_t c = 0; c < 4; ++c) {
    int most = 0;
    for (std::size_t i = 0; i < 4; ++i) most = std::max(most, std::abs(int{numbers[c * 4 + i]}));
    EXPECT_EQ(most, 127);
  }
}

// After a Relu nothing is below zero, whatever the calibration says.
TEST_F(Quantizing, ARangeBehindAReluBeginsAtZero) {
  build_block();
  const Graph& graph = run();
  const Node& relu = node(graph, "Relu");
  for (const Node& each : graph.nodes)
    if (each.op == "QuantizeLinear" && each.inputs[0] == relu.outputs[0]) {
      EXPECT_THAT(items<std::uint8_t>(graph, each.inputs[2]), ElementsAre(0));
      EXPECT_FLOAT_EQ(items<float>(graph, each.inputs[1])[0], 3.0F / 255);
    }
}

TEST_F(Quantizing, WhatOnlyPassesOnSharesItsScale) {
  build_block();
  const Graph& graph = run();
  const Node& pool = node(graph, "MaxPool");
  const Node& before = graph.nodes[graph.tensors[pool.inputs[0]].producer];
  for (const Node& each : graph.nodes)
    if (each.op == "QuantizeLinear" && each.inputs[0] == pool.outputs[0]) {
      EXPECT_EQ(each.inputs[1], before.inputs[1]);
      EXPECT_EQ(each.inputs[2], before.inputs[2]);
    }
}

// Neither its input nor its output is rounded, and the sum that reads it is in float.
TEST_F(Quantizing, AKeptLayerIsInFloats) {
  build_block();
  keep("conv2");
  const Graph& graph = run();
  EXPECT_THAT(made_.int8, ElementsAre(true, true, false, true));
  const Node& conv = node(graph, "Conv", 2);
  EXPECT_EQ(maker(graph, conv.inputs[1]), "");
  EXPECT_EQ(graph.tensors[conv.inputs[1]].type->dtype, DType::F32);
  EXPECT_THAT(readers(graph, conv.outputs[0]), ElementsAre("BatchNormalization"));
  EXPECT_EQ(maker(graph, node(graph, "Add").inputs[0]), "BatchNormalization");
  std::set<std::string> excluded(made_.excluded.begin(), made_.excluded.end());
  EXPECT_TRUE(excluded.contains("/conv2/Conv"));
  EXPECT_TRUE(excluded.contains("/Add"));
  EXPECT_FALSE(excluded.contains("/conv1/Conv"));
}

TEST_F(Quantizing, AnOutputKeepsItsNameAndWhatIsReadTwiceIsStoredOnce) {
  build::Builder net("Net");
  const build::Var x = net.input("x", {1, 4, 8, 8});
  const build::Var w = net.weight("w", {4, 4, 1, 1});
  net.output("y", net.op("Conv", {net.relu(net.op("Conv", {x, w})), w}));
  build(std::move(net));
  const Graph& graph = run();
  EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
  EXPECT_EQ(maker(graph, graph.outputs[0]), "DequantizeLinear");
  std::size_t weights = 0, floats = 0;
  for (const Tensor& tensor : graph.tensors) {
    weights += tensor.type->dtype == DType::I8 && tensor.type->dims.size() == 4;
    floats += tensor.role == Role::Initializer && tensor.type->dtype == DType::F32 &&
              tensor.type->dims.size() == 4;
  }
  EXPECT_EQ(weights, 1u);
  EXPECT_EQ(floats, 0u);
}

// If nothing in int8 follows, results are not rounded.
TEST_F(Quantizing, WhatFollowsTheLastLayerIsInFloats) {
  build::Builder net("Net");
  build::Var x = net.input("x", {1, 4, 8, 8});
  const build::Var a = net.conv("a", x, 4), b = net.conv("b", x, 4);
  net.output("y", net.sigmoid(net.add(a, b)));
  build(std::move(net));
  const Graph& graph = run();
  EXPECT_EQ(made_.int8_nodes, 0u);
  EXPECT_THAT(readers(graph, node(graph, "Add").outputs[0]), ElementsAre("Sigmoid"));
}

TEST_F(Quantizing, RefusesWithASentence) {
  build_block();
  QdqPlan without = plan_;
  without.ranges.erase("x");
  EXPECT_THAT(quantized(network_.model, layers_, without).error().message,
              HasSubstr("the ranges lack the tensor \"x\""));
  run();
  EXPECT_THAT(quantized(made_.model, find_quant_layers(made_.model), plan_).error().message,
              HasSubstr("the model is quantized already"));
  build::Builder net("Net");
  net.output("y", net.relu(net.input("x", {1, 4})));
  build(std::move(net));
  EXPECT_THAT(quantized(network_.model, layers_, plan_).error().message,
              HasSubstr("no layer that could be quantized"));
}

TEST_F(Quantizing, WeightsThatAreNotFiniteNameTheirLayer) {
  build_block();
  plan_.fill = [](const TensorData&, std::int64_t, std::span<std::byte> chunk) -> Status {
    std::memset(chunk.data(), 0xff, chunk.size());
    return {};
  };
  EXPECT_THAT(quantized(network_.model, layers_, plan_).error().message,
              HasSubstr("conv0: the stored tensor"));
}

TEST(CutsOffProducts, WithoutVnniOnX86) {
  EXPECT_TRUE(cuts_off_products({"sse4_2", "avx2", "avx512f"}));
  EXPECT_FALSE(cuts_off_products({"sse4_2", "avx2", "avx512f", "avx512_vnni"}));
  EXPECT_FALSE(cuts_off_products({"sse4_2", "avx2", "avx_vnni"}));
  EXPECT_FALSE(cuts_off_products({"asimd"}));
  EXPECT_FALSE(cuts_off_products({}));
}

}  // namespace
}  // namespace strata
