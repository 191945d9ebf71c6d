// Cases that the worked examples of ONNX Runtime's operators cannot express: costs that are
// formulas, their certainty, and the parameters in packed weights.
#include <gtest/gtest.h>

#include "ops/example.h"
#include "ops/part.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// A model with one node of com.microsoft, inferred.
Model node_of(std::string_view op, std::string_view inputs, std::string_view attributes,
              std::string_view outputs = "f32[]") {
  const OpRule* rule = find_rule(kMicrosoft, op, 1);
  EXPECT_NE(rule, nullptr) << op;
  auto model = example_model(*rule, {inputs, attributes, outputs});
  EXPECT_TRUE(model) << model.error().message;
  const auto inferred = infer(*model);
  EXPECT_TRUE(inferred) << inferred.error().message;
  return std::move(*model);
}

CostContext cost_of(const Model& model, std::vector<WorkTerm>* terms = nullptr) {
  const Node& node = model.graph().nodes[0];
  CostContext cost(model.graph(), node, terms);
  find_rule(node.domain, node.op, node.opset)->cost(cost);
  return cost;
}

TEST(MicrosoftOperators, GroupedAttentionIsAFormulaOfBatchSequenceAndCache) {
  const Model model = node_of(
      "GroupQueryAttention",
      "f16[B,S,64], f16[B,S,32], f16[B,S,32], f16[B,2,P,16], f16[B,2,P,16], i32[B], i32[]={T}",
      "num_heads=4 kv_num_heads=2");
  // Two products of 64 per pair of a query and a key.
  const Expr batch = Expr::symbol("B"), queries = Expr::symbol("S"), past = Expr::symbol("P");
  EXPECT_EQ(cost_of(model).amount(Work::Mac).text(),
            (batch * queries * (past + queries) * 128).text());
}

TEST(MicrosoftOperators, WhatOnlyDataTellsIsALowerBoundOrUnknown) {
  const Model shared =
      node_of("Attention", "f32[1,1,8], f32[8,24], f32[24], _, f32[2,1,2,99,4], _, i32[1]",
              "num_heads=2 past_present_share_buffer=1");
  EXPECT_EQ(cost_of(shared).certainty(), Certainty::LowerBound);
  EXPECT_EQ(cost_of(shared).amount(Work::Mac).text(), "208");  // 8·24 and one key: 2·8

  const Model search = node_of("GreedySearch", "i32[2,16], i32[1]", "");
  EXPECT_EQ(cost_of(search).certainty(), Certainty::Unknown);
  EXPECT_FALSE(cost_of(search).reason().empty());
}

TEST(MicrosoftOperators, PackedWeightsCountAsWhatTheyStandFor) {
  const Model bits =
      node_of("MatMulNBits", "f32[1,64], u8[32,2,16], f32[32,2]", "K=64 N=32 bits=4 block_size=32");
  const NodeView view(bits.graph(), bits.graph().nodes[0]);
  const OpRule* rule = find_rule(kMicrosoft, "MatMulNBits", 1);
  EXPECT_EQ(rule->parameters(view, 1).text(), "2048");
  EXPECT_EQ(rule->parameters(view, 2).text(), "64");

  const Model table =
      node_of("GatherBlockQuantized", "u8[1000,32], i64[3], f32[1000,2]", "bits=4 block_size=32");
  const NodeView table_view(table.graph(), table.graph().nodes[0]);
  EXPECT_EQ(find_rule(kMicrosoft, "GatherBlockQuantized", 1)->parameters(table_view, 0).text(),
            "64000");
}

TEST(MicrosoftOperators, AFusedOperatorExplainsItsParts) {
  const Model model =
      node_of("FusedConv", "f32[1,3,8,8], f32[4,3,3,3], f32[4]", "activation=\"Relu\"");
  std::vector<WorkTerm> terms;
  const CostContext cost = cost_of(model, &terms);
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].work, Work::Mac);
  Expr macs = 0;
  for (const WorkTerm& term : terms)
    if (term.work == Work::Mac) macs += term.amount;
  EXPECT_EQ(macs, cost.amount(Work::Mac));
}

TEST(MicrosoftOperators, AnActivationWithoutARuleMakesALowerBound) {
  const Model model = node_of("FusedConv", "f32[1,3,8,8], f32[4,3,3,3]", "activation=\"Fancy\"");
  EXPECT_EQ(cost_of(model).certainty(), Certainty::LowerBound);
}

TEST(MicrosoftOperators, PartsOfTwoNodesHaveSymbolsOfTheirOwn) {
  const OpRule* rule = find_rule(kMicrosoft, "Unique", 1);
  auto model = example_model(*rule, {"f32[N]", "", "f32[u], i64[N], i64[u]"});
  ASSERT_TRUE(model);
  Graph& graph = model->graph();
  Node second = graph.nodes[0];
  std::vector<TensorId> outputs;
  for (std::size_t i = 0; i < 3; ++i) {
    outputs.push_back(static_cast<TensorId>(graph.tensors.size()));
    graph.tensors.emplace_back();
  }
  second.outputs = model->keep(std::span<const TensorId>(outputs));
  graph.nodes.push_back(second);
  ASSERT_TRUE(infer(*model));
  EXPECT_EQ(outputs_text(graph, graph.nodes[0]), "f32[unique], i64[N], i64[unique]");
  EXPECT_EQ(outputs_text(graph, graph.nodes[1]), "f32[unique_2], i64[N], i64[unique_2]");
}

TEST(MicrosoftOperators, ErrorsNameTheOperatorThatTheFileHas) {
  const OpRule* rule = find_rule(kMicrosoft, "NhwcFusedConv", 1);
  auto model = example_model(*rule, {"f32[1,8,8,5], f32[4,3,3,3]", "", "f32[]"});
  ASSERT_TRUE(model);
  const auto inferred = infer(*model);
  ASSERT_FALSE(inferred);
  EXPECT_TRUE(inferred.error().message.starts_with("NhwcFusedConv \"example\": "))
      << inferred.error().message;
}

TEST(Part, ChannelsMoveThereAndBack) {
  const TypeInfo last = TypeInfo::tensor(DType::F32, {1, 8, 9, 3});
  EXPECT_EQ(text(channels_first(last).dims), "1×3×8×9");
  EXPECT_EQ(channels_last(channels_first(last)).dims, last.dims);
  const TypeInfo matrix = TypeInfo::tensor(DType::F32, {2, 3});
  EXPECT_EQ(channels_first(matrix).dims, matrix.dims);
}

TEST(Part, AShareOfNothingIsUnknown) {
  EXPECT_EQ(share_of(12, 4).text(), "3");
  EXPECT_EQ(share_of(Expr::symbol("N") * 12, 4).text(), (Expr::symbol("N") * 3).text());
  EXPECT_TRUE(share_of(12, 0).is_unknown());
  EXPECT_TRUE(share_of(12, -3).is_unknown());
}

}  // namespace
}  // namespace strata
