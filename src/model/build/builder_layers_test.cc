#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/cost/layers.h"

namespace strata::build {
namespace {

Network finished(Builder&& net, Var x) {
  net.output("output", x);
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return network ? *std::move(network) : Network{};
}

const Tensor& output_of(const Network& network) {
  return network.model.graph().tensors[network.model.graph().outputs[0]];
}

std::size_t count_of(const Network& network, std::string_view op) {
  std::size_t found = 0;
  for (const Node& node : network.model.graph().nodes) found += node.op == op ? 1 : 0;
  return found;
}

LayerKind kind_of_first(const Network& network) {
  const Costs costs = count(network.model);
  return find_layers(network.model, costs).list.at(0).kind;
}

TEST(BuilderLayers, BothFormsOfGeluAreGelu) {
  for (const bool tanh : {false, true}) {
    Builder net("Net");
    const Var x = net.input("x", {2, 8});
    const Var y = tanh ? net.gelu_tanh("act", x) : net.gelu("act", x);
    EXPECT_EQ(kind_of_first(finished(std::move(net), y)), LayerKind::GELU) << tanh;
  }
}

TEST(BuilderLayers, RmsNormHasAGainAndNoBias) {
  Builder net("Net");
  const Var x = net.input("x", {2, 5, 8});
  const Network network = finished(std::move(net), net.rms_norm("norm", x));
  EXPECT_EQ(count(network.model).total.params, Expr(8));
  EXPECT_EQ(text(output_of(network).type->dims), "2×5×8");
  EXPECT_EQ(count_of(network, "Cast"), 0u);
}

TEST(BuilderLayers, RmsNormOfHalvesIsTakenInSinglePrecision) {
  Builder net("Net", DType::F16);
  const Var x = net.input("x", {2, 8});
  const Network network = finished(std::move(net), net.rms_norm("norm", x));
  EXPECT_EQ(output_of(network).type->dtype, DType::F16);
  for (const Node& node : network.model.graph().nodes)
    if (node.op == "ReduceMean") {
      EXPECT_EQ(network.model.graph().tensors[node.outputs[0]].type->dtype, DType::F32);
    }
}

TEST(BuilderLayers, ResizeKeepsAnOpenBatch) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    Builder net("Net");
    const Var x = net.input("x", {Expr::symbol("N"), 3, 8, 8});
    const Network network = finished(std::move(net), net.resize(x, {12, 20}, mode));
    EXPECT_EQ(text(output_of(network).type->dims), "N×3×12×20");
    const Node& resize = network.model.graph().nodes.back();
    EXPECT_EQ(std::get<std::string_view>(resize.attribute("mode")->value), mode);
  }
}

TEST(BuilderLayers, LengthIsAConstantWhereItIsKnown) {
  Builder net("Net");
  const Var x = net.input("x", {Expr::symbol("N"), 3});
  const Var known = net.length(x, -1);
  const Var open = net.length(x, 0);
  const Network network = finished(std::move(net), net.concat({known, open}, 0));
  EXPECT_EQ(count_of(network, "Shape"), 1u);
  ASSERT_NE(output_of(network).value, nullptr);
  EXPECT_EQ(output_of(network).value->items[0].whole().text(), "3");
  EXPECT_EQ(output_of(network).value->items[1].whole().text(), "N");
}

}  // namespace
}  // namespace strata::build
