#include "edit/tail.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

std::vector<std::string_view> ops_of(const Model& model) {
  std::vector<std::string_view> ops;
  for (const Node& node : model.graph().nodes) ops.push_back(node.op);
  return ops;
}

// x → relu → tanh → reshape to the shape of the relu, which was taken before the tanh.
class TailOfShapes : public ::testing::Test {
 protected:
  void build(std::string_view on_the_way) {
    build::Builder net("Net");
    const build::Var x = net.relu("relu", net.input("x", {2, 6}));
    build::Var shape = net.op("Shape", {x});
    if (!on_the_way.empty()) shape = net.op(on_the_way, {shape});
    net.output("y", net.op("Reshape", {net.op("Tanh", {x}), shape}));
    auto network = std::move(net).finish();
    ASSERT_TRUE(network) << network.error().message;
    model_ = std::move(network->model);
  }
  NodeId node(std::string_view op) const {
    const auto& nodes = model_.graph().nodes;
    for (NodeId n = 0; n < nodes.size(); ++n)
      if (nodes[n].op == op) return n;
    return kNone;
  }
  std::string made_by(std::string_view op) const {
    return std::string(model_.graph().tensors[model_.graph().nodes[node(op)].outputs[0]].name);
  }

  Model model_;
};

// ONNX Runtime fails to open BERT's tails if shapes come from outside ("Attempting to get
// index by a name which does not exist").
TEST_F(TailOfShapes, SizesAreComputedInTheTail) {
  for (const char* op : {"", "Identity", "Abs"}) {
    build(op);
    const TailCut cut = tail_cut(model_, node("Tanh"));
    EXPECT_THAT(cut.inputs, ElementsAre(made_by("Relu"))) << op;
    const auto tail = tail_of(model_, cut.inputs, cut.outputs);
    ASSERT_TRUE(tail) << tail.error().message;
    EXPECT_NE(std::ranges::count(ops_of(*tail), "Shape"), 0) << op;
    EXPECT_EQ(std::ranges::count(ops_of(*tail), "Relu"), 0) << op;
  }
}

// Whole numbers that are not computed from sizes cross the cut unchanged.
TEST(TailCut, OtherWholeNumbersCross) {
  build::Builder net("Net");
  const build::Var ids = net.cast(net.input("x", {2}), DType::I64);
  const build::Var twice = net.op("Add", {ids, ids});
  net.output("y", net.op("Abs", {net.op("Neg", {twice})}));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const TailCut cut = tail_cut(network->model, 2);
  const Graph& graph = network->model.graph();
  EXPECT_THAT(cut.crossing, ElementsAre(graph.nodes[1].outputs[0]));
}

}  // namespace
}  // namespace strata
