#include "strata/build/builder.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/layers.h"

namespace strata::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The caller names the only output; the test is about what comes before it.
Network finished(Builder&& net, Var x) {
  net.output("output", x);
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return network ? std::move(*network) : Network{};
}

std::string error_of(Builder net) {
  auto network = std::move(net).finish();
  return network ? "no error" : network.error().message;
}

std::vector<std::string> stored(const Network& network) {
  std::vector<std::string> names;
  for (const Tensor& tensor : network.model.graph().tensors)
    if (tensor.role == Role::Initializer) names.emplace_back(tensor.name);
  return names;
}

std::vector<std::string> node_names(const Network& network) {
  std::vector<std::string> names;
  for (const Node& node : network.model.graph().nodes) names.emplace_back(node.name);
  return names;
}

TEST(Builder, GivesModulesTheirPathClassAndParent) {
  Builder net("Tiny");
  Var x = net.input("input", {1, 3, 8, 8});
  {
    const auto features = net.module("features", "Sequential");
    const auto block = net.module(0, "Block");
    x = net.conv("conv", x, 4, {.kernel = 3, .pad = 1});
    x = net.relu(x);
  }
  x = net.mean(x, {2, 3});
  const Network network = finished(std::move(net), x);

  const auto& scopes = network.model.scopes;
  ASSERT_EQ(scopes.size(), 4u);
  EXPECT_EQ(scopes[0].cls, "Tiny");
  EXPECT_EQ(scopes[0].path, "");
  EXPECT_EQ(scopes[2].path, "features.0");
  EXPECT_EQ(scopes[2].name, "0");
  EXPECT_EQ(scopes[2].cls, "Block");
  EXPECT_EQ(scopes[2].parent, 1u);
  EXPECT_EQ(scopes[3].path, "features.0.conv");
  EXPECT_EQ(scopes[3].cls, "Conv2d");

  const auto& nodes = network.model.graph().nodes;
  EXPECT_EQ(nodes[0].scope, 3u);
  EXPECT_EQ(nodes[1].scope, 2u) << "an operation without a name belongs to the open module";
  EXPECT_EQ(nodes[2].scope, 0u);
  // These are the names that torch's exporter gives: a child of a list carries the list's name.
  EXPECT_THAT(node_names(network), ElementsAre("/features/features.0/conv/Conv",
                                               "/features/features.0/Relu", "/ReduceMean"));
  EXPECT_THAT(stored(network), ElementsAre("features.0.conv.weight", "features.0.conv.bias"));
}

TEST(Builder, KnowsShapesWhileItBuilds) {
  Builder net("Tiny");
  Var x = net.input("input", {2, 3, 9, 9});
  x = net.conv("conv", x, 8, {.kernel = Pair(3, 1), .stride = 2});
  EXPECT_EQ(text(net.shape(x)), "2×8×4×5");
  EXPECT_EQ(net.channels(x), 8);
  EXPECT_EQ(net.number(x, -1), 5);
  EXPECT_TRUE(net.size(x, 4).is_unknown()) << "there is no such axis";
  x = net.max_pool("pool", x, {.kernel = 2, .stride = 2, .ceil = true});
  EXPECT_EQ(text(net.shape(x)), "2×8×2×3");
}

TEST(Builder, CallsOfOnePathShareWeightsAndAreNumbered) {
  Builder net("Shared");
  Var x = net.input("input", {1, 10});
  x = net.linear("fc", x, 10);
  x = net.relu("act", x);
  x = net.linear("fc", x, 10);
  x = net.linear("fc", x, 10);
  const Network network = finished(std::move(net), x);

  EXPECT_THAT(stored(network), ElementsAre("fc.weight", "fc.bias"));
  EXPECT_THAT(node_names(network),
              ElementsAre("/fc/Gemm", "/act/Relu", "/fc_1/Gemm", "/fc_2/Gemm"));
  std::vector<std::uint32_t> calls;
  for (const Scope& scope : network.model.scopes)
    if (scope.path == "fc") calls.push_back(scope.call);
  EXPECT_THAT(calls, ElementsAre(0u, 1u, 2u));
  const Costs costs = count(network.model);
  EXPECT_EQ(costs.total.params.text(), "110");
  EXPECT_EQ(costs.total.macs.text(), "300");
}

TEST(Builder, WeightsInsideAModuleCalledAgainAreShared) {
  Builder net("Shared");
  Var x = net.input("input", {1, 4, 8, 8});
  for (int i = 0; i < 2; ++i) {
    const auto head = net.module("head", "Head");
    x = net.conv("conv", x, 4);
  }
  const Network network = finished(std::move(net), x);
  EXPECT_THAT(stored(network), ElementsAre("head.conv.weight", "head.conv.bias"));
  EXPECT_THAT(node_names(network), ElementsAre("/head/conv/Conv", "/head_1/conv_1/Conv"));
}

TEST(Builder, NumbersOperatorsOfOneKindInAModule) {
  Builder net("Tiny");
  Var x = net.input("input", {1, 4});
  x = net.add(x, x);
  x = net.add(x, net.relu(x));
  const Network network = finished(std::move(net), x);
  EXPECT_THAT(node_names(network), ElementsAre("/Add", "/Relu", "/Add_1"));
}

TEST(Builder, StoresEqualConstantsOnce) {
  Builder net("Tiny");
  Var x = net.input("input", {1, 4, 4, 4});
  EXPECT_EQ(net.integers({1, 2}).id, net.integers({1, 2}).id);
  EXPECT_NE(net.integers({1, 2}).id, net.integers({2, 1}).id);
  EXPECT_NE(net.integers({1}).id, net.integer(1).id) << "one axis is not a scalar";
  EXPECT_EQ(net.number(0.5F).id, net.number(0.5F).id);
  const float half[] = {0.5F};
  EXPECT_NE(net.floats(half).id, net.number(0.5F).id);
  EXPECT_EQ(net.table(half, {1, 1}).id, net.table(half, {1, 1}).id);
  x = net.relu6("a", net.relu6("b", x));
  const Network network = finished(std::move(net), x);
  EXPECT_EQ(count(network.model).total.params.text(), "0") << "constants are not parameters";
  const auto bounds = [](const Node& node) {
    return std::vector(node.inputs.begin() + 1, node.inputs.end());
  };
  const auto& nodes = network.model.graph().nodes;
  EXPECT_EQ(bounds(nodes[nodes.size() - 1]), bounds(nodes[nodes.size() - 2]));
}

TEST(Builder, TakesAnOpenBatch) {
  Builder net("Tiny");
  Var x = net.input("input", {Expr::symbol("N"), 3, 8, 8});
  x = net.conv("conv", x, 4, {.kernel = 3, .pad = 1, .bias = false});
  x = net.flatten(x);
  EXPECT_EQ(text(net.shape(x)), "N×256");
  x = net.linear("fc", x, 10);
  const Network network = finished(std::move(net), x);
  EXPECT_EQ(count(network.model).total.macs.text(), "9472·N");  // 4·8·8·27 + 2560
  ASSERT_EQ(network.inference.symbols.size(), 1u);
  EXPECT_EQ(network.inference.symbols[0].name, "N");
}

TEST(Builder, ReshapesWithAnOpenSize) {
  Builder net("Tiny");
  const Expr batch = Expr::symbol("N");
  const Var x = net.input("input", {batch, 6, 4});
  EXPECT_EQ(text(net.shape(net.reshape(x, {batch, 2, 3, 4}))), "N×2×3×4");
  EXPECT_EQ(text(net.shape(net.reshape(x, {batch, -1}))), "N×24");
  EXPECT_EQ(text(net.shape(net.reshape(x, {6, batch, 4}))), "6×N×4") << "not in its own place";
  EXPECT_EQ(text(net.shape(net.reshape(x, {0, 0, 2, 2}))), "N×6×2×2") << "0 keeps a size";
  EXPECT_FALSE(net.failed());
}

TEST(Builder, RefusesAReshapeWithTwoOpenSizes) {
  Builder net("Tiny");
  const Expr n = Expr::symbol("N"), m = Expr::symbol("M");
  const Var x = net.input("input", {n, m, 4});
  net.output("output", net.reshape(x, {m, n, 4}));
  EXPECT_THAT(error_of(std::move(net)), HasSubstr("two sizes that only a run can tell"));
}

TEST(Builder, WeightsAndConstantsHaveTheNetworksType) {
  Builder net("Tiny", DType::F16);
  Var x = net.input("input", {1, 3, 8, 8});
  x = net.relu6("act", net.batch_norm("bn", net.conv("conv", x, 4)));
  x = net.gelu("gelu", net.mul(x, net.number(0.5F)));
  const Network network = finished(std::move(net), x);
  for (const Tensor& tensor : network.model.graph().tensors)
    EXPECT_EQ(tensor.type->dtype, DType::F16) << tensor.name;
  const Tensor& six = network.model.graph().tensors[network.model.graph().nodes[2].inputs[2]];
  ASSERT_NE(six.data, nullptr);
  EXPECT_EQ(six.data->bytes, std::string_view("\x00\x46", 2)) << "6 in half precision";
}

TEST(Builder, ReadsAnInputOfAnotherType) {
  Builder net("Tiny", DType::BF16);
  const Var ids = net.input("ids", DType::I64, {1, 5});
  const Var x = net.embedding("embedding", ids, 100, 16);
  EXPECT_EQ(text(net.shape(x)), "1×5×16");
  const Network network = finished(std::move(net), x);
  EXPECT_EQ(network.model.graph().tensors[x.id].type->dtype, DType::BF16);
}

TEST(Builder, KeepsTheFirstMistakeAndDoesNothingAfterIt) {
  Builder net("Tiny");
  Var x = net.input("input", {1, 3, 8, 8});
  {
    const auto features = net.module("features", "Sequential");
    x = net.conv("0", x, 4, {.kernel = 3, .groups = 2});
    EXPECT_TRUE(net.failed());
    x = net.linear("1", net.flatten(net.relu(x)), -5);
    net.fail("a later one");
  }
  net.output("output", x);
  EXPECT_EQ(error_of(std::move(net)), "convolution \"0\": 2 groups do not divide 3 and 4 channels");
}

TEST(Builder, MistakesNameTheirPlace) {
  {
    Builder net("Tiny");
    const auto block = net.module("block", "Block");
    const Var x = net.input("input", {1, 3, 4, 4});
    net.conv("conv", x, 4, {.kernel = 7});
    EXPECT_TRUE(net.failed());
  }
  {
    Builder net("Tiny");
    const Var x = net.input("input", {1, 3, 4, 4});
    net.conv("conv", x, 4, {.kernel = 7});
    EXPECT_THAT(error_of(std::move(net)), HasSubstr("/conv/Conv"));
  }
  {
    Builder net("Tiny");
    const Var x = net.input("image", {1, Expr::symbol("C"), 4, 4});
    net.conv("conv", x, 4);
    EXPECT_EQ(error_of(std::move(net)), "\"image\" needs a number along axis 1; it is 1×C×4×4");
  }
  {
    Builder net("Tiny");
    net.linear("fc", net.input("input", {1, 3}), 0);
    EXPECT_EQ(error_of(std::move(net)), "fc.weight would have the size 0");
  }
  {
    Builder net("Tiny");
    net.split(net.input("input", {1, 7}), 1, 2);
    EXPECT_EQ(error_of(std::move(net)), "7 cannot be split into 2 equal parts");
  }
  {
    Builder net("Tiny");
    net.adaptive_avg_pool(net.input("input", {1, 3, 10, 10}), 7);
    EXPECT_THAT(error_of(std::move(net)),
                HasSubstr("an average over 10×10 to 7×7 has windows of several sizes"));
  }
  {
    Builder net("Tiny");
    net.relu(net.input("input", {1, 3}));
    EXPECT_EQ(error_of(std::move(net)), "the network has no output");
  }
}

TEST(Builder, SlicesSplitsAndResizes) {
  Builder net("Tiny");
  const Var x = net.input("input", {1, 6, 10, 8});
  EXPECT_EQ(text(net.shape(net.slice(x, 2, 1, 9))), "1×6×8×8");
  EXPECT_EQ(text(net.shape(net.slice(x, 2, 1, 9, 3))), "1×6×3×8");
  const auto parts = net.split(x, 1, std::vector<std::int64_t>{1, 2, 3});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(text(net.shape(parts[2])), "1×3×10×8");
  EXPECT_EQ(text(net.shape(net.resize(x, Pair(5, 4)))), "1×6×5×4");
  EXPECT_EQ(text(net.shape(net.resize_by(x, 2, "linear"))), "1×6×20×16");
  EXPECT_EQ(text(net.shape(net.unsqueeze(net.squeeze(x, {0}), {3}))), "6×10×8×1");
  EXPECT_EQ(text(net.shape(net.transpose(x, {0, 2, 3, 1}))), "1×10×8×6");
  EXPECT_EQ(text(net.shape(net.mean(x, {2, 3}, true))), "1×6×1×1");
  EXPECT_EQ(text(net.shape(net.adaptive_avg_pool(x, Pair(5, 2)))), "1×6×5×2");
  EXPECT_FALSE(net.failed());
}

// The operators of a module determine what it counts as.
TEST(Builder, LayersAreOfTheirModulesKind) {
  Builder net("Tiny");
  Var x = net.input("input", {1, 8, 4, 4});
  x = net.silu("silu", x);
  x = net.gelu("gelu", x);
  x = net.relu6("relu6", x);
  x = net.dropout("dropout", x);
  x = net.adaptive_avg_pool("pool", x, 1);
  x = net.linear("fc", net.reshape(x, {1, 1, 8}), 3);
  const Network network = finished(std::move(net), net.layer_norm("norm", x));
  const Costs costs = count(network.model);
  std::vector<LayerKind> kinds;
  for (const Layer& layer : find_layers(network.model, costs).list)
    if (!layer.functional) kinds.push_back(layer.kind);
  EXPECT_THAT(kinds,
              ElementsAre(LayerKind::SiLU, LayerKind::GELU, LayerKind::ReLU6, LayerKind::Dropout,
                          LayerKind::AdaptiveAvgPool, LayerKind::Linear, LayerKind::LayerNorm));
}

}  // namespace
}  // namespace strata::build
