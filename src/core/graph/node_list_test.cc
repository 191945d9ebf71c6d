#include <gtest/gtest.h>

#include "strata/graph/graph.h"

namespace strata {

namespace {

constexpr TensorId kIds[] = {3, kNone, 5};
constexpr Attribute kAttributes[] = {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}};

Node full_node() {
  Node node;
  node.op = "ReduceSum";
  node.domain = "com.acme";
  node.name = "/block/sum";
  node.inputs = std::span(kIds).first(2);
  node.outputs = std::span(kIds).subspan(2);
  node.attributes = kAttributes;
  node.scope = 7;
  node.opset = 13;
  node.phase = Phase::Backward;
  return node;
}

bool are_equal(const Node& a, const Node& b) {
  const auto is_same = [](const auto& x, const auto& y) {
    return x.data() == y.data() && x.size() == y.size();
  };
  return a.op == b.op && a.domain == b.domain && a.name == b.name && is_same(a.inputs, b.inputs) &&
         is_same(a.outputs, b.outputs) && is_same(a.attributes, b.attributes) &&
         a.scope == b.scope && a.opset == b.opset && a.phase == b.phase;
}

TEST(NodeList, GivesBackWhatItWasGiven) {
  NodeList list;
  list.push_back(Node());
  list.push_back(full_node());
  ASSERT_EQ(list.size(), 2u);
  EXPECT_TRUE(are_equal(list.front(), Node()));
  EXPECT_TRUE(are_equal(list[1], full_node()));
  EXPECT_TRUE(are_equal(list.back(), full_node()));
}

// Each of these alone makes another operation.
TEST(NodeList, TellsOperationsApart) {
  std::vector<Node> nodes(7, full_node());
  nodes[1].op = "ReduceMax";
  nodes[2].domain = "";
  nodes[3].opset = 18;
  nodes[4].phase = Phase::Forward;
  nodes[5].attributes = std::span(kAttributes).first(1);
  nodes[6].attributes = std::span(kAttributes).subspan(1);
  const NodeList list = nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) EXPECT_TRUE(are_equal(list[i], nodes[i])) << i;
}

TEST(NodeList, KnowsManyOperations) {
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back("op" + std::to_string(i));
  NodeList list;
  for (int round = 0; round < 2; ++round)
    for (const std::string& name : names) {
      Node node = full_node();
      node.op = name;
      list.push_back(node);
    }
  ASSERT_EQ(list.size(), 1000u);
  for (std::size_t i = 0; i < list.size(); ++i) EXPECT_EQ(list[i].op, names[i % 500]);
}

TEST(NodeList, AChangeIsThatNodesAlone) {
  NodeList list = std::vector<Node>(3, full_node());
  list.change(1, [](Node& node) {
    node.op = "Relu";
    node.outputs = {};
  });
  list.set_scope(2, 9);
  EXPECT_TRUE(are_equal(list[0], full_node()));
  EXPECT_EQ(list[1].op, "Relu");
  EXPECT_TRUE(list[1].outputs.empty());
  EXPECT_EQ(list[1].name, "/block/sum");
  EXPECT_EQ(list[2].scope, 9u);
  EXPECT_EQ(list[2].op, "ReduceSum");
}

TEST(NodeList, IsGoneThroughInOrder) {
  NodeList list;
  for (ScopeId scope = 0; scope < 4; ++scope) {
    list.push_back(full_node());
    list.set_scope(scope, scope);
  }
  ScopeId next = 0;
  for (const Node& node : list) EXPECT_EQ(node.scope, next++);
  EXPECT_EQ(next, 4u);
  EXPECT_EQ(list.end() - list.begin(), 4);
}

}  // namespace

}  // namespace strata
