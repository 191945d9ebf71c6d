#include "read/onnx/order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "read/onnx/test_proto.h"

namespace strata::onnx {
namespace {

using namespace test;

// The nodes' names in the order they were put in, or what is wrong.
std::string order(const Texts& nodes) {
  const std::string bytes = chain(nodes);
  const auto model = read_onnx(bytes, "m.onnx");
  if (!model) return model.error().message;
  std::string names;
  const Graph& graph = model->graph();
  for (NodeId i = 0; i < graph.nodes.size(); ++i) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", graph.nodes[i].name);
    for (const TensorId id : graph.nodes[i].outputs) EXPECT_EQ(graph.tensors[id].producer, i);
  }
  return names;
}

TEST(Order, StaysWhereItIsRight) {
  EXPECT_EQ(order({node("A", {"x"}, {"a"}, {.name = "a"}), node("B", {"x"}, {"b"}, {.name = "b"}),
                   node("C", {"a", "b"}, {"y"}, {.name = "c"})}),
            "a b c");
}

TEST(Order, MovesOnlyWhatMustMove) {
  EXPECT_EQ(
      order({node("C", {"a", "b"}, {"y"}, {.name = "c"}), node("D", {"x"}, {"d"}, {.name = "d"}),
             node("B", {"x"}, {"b"}, {.name = "b"}), node("A", {"x"}, {"a"}, {.name = "a"})}),
      "a b c d");
}

TEST(Order, CountsWhatBodiesCapture) {
  const std::string body =
      graph({.nodes = {node("Relu", {"late"}, {"z"})}, .outputs = {value("z")}});
  EXPECT_EQ(order({node("If", {"x"}, {"y"},
                        {.name = "if", .attributes = {graph_attribute("then_branch", body)}}),
                   node("Abs", {"x"}, {"late"}, {.name = "abs"})}),
            "abs if");
}

TEST(Order, NamesTheNodesOfACircle) {
  EXPECT_EQ(order({node("Add", {"x", "c"}, {"a"}, {.name = "one"}),
                   node("Mul", {"a"}, {"b"}, {.name = "two"}),
                   node("Sub", {"b"}, {"c"}, {.name = "three"}),
                   node("Relu", {"c"}, {"y"}, {.name = "end"})}),
            "m.onnx: these nodes feed each other in a circle, so none can run first: Add \"one\" → "
            "Mul \"two\" → Sub \"three\" → Add \"one\"");
  EXPECT_EQ(
      order({node("Add", {"x", "y"}, {"y"}, {.name = "self"})}),
      "m.onnx: these nodes feed each other in a circle, so none can run first: Add \"self\" → "
      "Add \"self\"");
}

TEST(Order, ALongChainBackwards) {
  constexpr int kLength = 100'000;
  Texts nodes;
  for (int i = kLength; i-- > 0;)
    nodes.push_back(node("Relu", {i == 0 ? "x" : fmt::format("v{}", i)},
                         {i + 1 == kLength ? "y" : fmt::format("v{}", i + 1)}));
  const std::string bytes = chain(nodes);
  const auto model = read_onnx(bytes, "m.onnx");
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->graph().tensors[model->graph().outputs[0]].producer, NodeId{kLength - 1});
}

}  // namespace
}  // namespace strata::onnx
