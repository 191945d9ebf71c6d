#include "ops/aten_table.h"

#include <gtest/gtest.h>

#include "ops/aten_schema.h"

namespace strata {
namespace {

Node aten_node(std::string_view op) {
  Node node;
  node.op = op;
  node.domain = kAten;
  return node;
}

std::string_view row_of(std::string_view op) {
  const OpRule* rule = find_rule(kAten, op, 1);
  return rule == nullptr ? "" : rule->name;
}

TEST(AtenTable, OneRowServesOverloadsAndInPlaceForms) {
  EXPECT_EQ(row_of("add"), "add");
  EXPECT_EQ(row_of("add.Tensor"), "add");
  EXPECT_EQ(row_of("add_.Tensor"), "add");
  EXPECT_EQ(row_of("relu_"), "relu");
  EXPECT_EQ(row_of("__and__.Tensor"), "__and__");
  EXPECT_EQ(row_of("_unsafe_view"), "_unsafe_view");
}

TEST(AtenTable, AnOverloadMayHaveARowOfItsOwn) {
  EXPECT_EQ(row_of("max.dim"), "max.dim");
  EXPECT_EQ(row_of("max.other"), "max.other");
  EXPECT_EQ(row_of("max"), "max");
  EXPECT_EQ(row_of("max.unary_out"), "max");
  // Packed sequences have other arguments.
  EXPECT_EQ(row_of("lstm.data"), "");
}

TEST(AtenTable, KnowsNoOthers) {
  EXPECT_EQ(row_of("frobnicate"), "");
  EXPECT_EQ(row_of("Relu"), "");
  EXPECT_EQ(row_of(""), "");
  EXPECT_EQ(row_of("_"), "");
  EXPECT_EQ(row_of("."), "");
  EXPECT_EQ(find_rule("other", "relu", 1), nullptr);
  EXPECT_EQ(find_rule("", "relu", 1), nullptr);
  EXPECT_EQ(find_rule(kAten, "cond", 1), nullptr);
  EXPECT_NE(find_rule(kHigherOrder, "cond", 1), nullptr);
}

TEST(AtenTable, ARowHasTheCostAndTheTraitsOfWhatItIsLike) {
  const OpRule* relu = find_rule(kAten, "relu", 1);
  const OpRule* onnx = find_rule("", "Relu", 14);
  ASSERT_NE(relu, nullptr);
  EXPECT_EQ(relu->cost, onnx->cost);
  EXPECT_EQ(relu->traits.kind, LayerKind::ReLU);
  EXPECT_EQ(relu->traits.curve, onnx->traits.curve);
  const OpRule* softmax = find_rule(kAten, "_softmax", 1);
  EXPECT_EQ(softmax->traits.kind, LayerKind::Softmax);
  ASSERT_EQ(softmax->traits.attributes.size(), 1u);
  EXPECT_EQ(softmax->traits.attributes[0].name, "dim");
  EXPECT_EQ(softmax->traits.changed, nullptr);
}

TEST(AtenTable, KnowsWhatWorksInPlace) {
  EXPECT_TRUE(works_in_place(aten_node("relu_")));
  EXPECT_TRUE(works_in_place(aten_node("add_.Tensor")));
  EXPECT_FALSE(works_in_place(aten_node("relu")));
  EXPECT_FALSE(works_in_place(aten_node("__and__.Tensor")));
  Node onnx;
  onnx.op = "Odd_";
  EXPECT_FALSE(works_in_place(onnx));
}

// Otherwise a reader could not tell the operator's inputs from its attributes.
TEST(AtenTable, EveryRowIsOfOperatorsWhoseArgumentsAreKnown) {
  for (const Family& family : aten_families())
    for (const OpRule& rule : family.rules) {
      if (rule.domain != kAten) continue;
      bool known = false;
      for (const AtenSchema* schema : aten_schemas())
        known = known || row_of(schema->name()) == rule.name;
      EXPECT_TRUE(known) << rule.name;
    }
}

// A row that is like an operator that ONNX does not have would cost nothing.
TEST(AtenTable, WhatRowsAreLikeExists) {
  for (const Family& family : aten_families())
    for (const OpRule& rule : family.rules)
      if (!rule.like.empty()) {
        EXPECT_NE(find_rule("", rule.like, 1), nullptr) << rule.like;
      }
}

}  // namespace
}  // namespace strata
