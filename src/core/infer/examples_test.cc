// Runs the worked examples of every operator: its shapes and its cost must be what the row says.
#include <gtest/gtest.h>

#include "ops/example.h"
#include "ops/registry.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

class OperatorExamples : public testing::TestWithParam<Family> {};

void run_example(const OpRule& rule, const Example& example) {
  SCOPED_TRACE(std::string(rule.domain) + " " + std::string(rule.name) + "(" +
               std::string(example.inputs) + " | " + std::string(example.attributes) + ")");
  auto model = example_model(rule, example);
  ASSERT_TRUE(model) << model.error().message;
  auto inferred = infer(*model);
  ASSERT_TRUE(inferred) << inferred.error().message;
  const Graph& graph = model->graph();
  EXPECT_EQ(outputs_text(graph, graph.nodes[0]), example.outputs);

  // The row as it is looked up, with what it shares with others.
  const OpRule* row = find_rule(rule.domain, rule.name, graph.nodes[0].opset);
  ASSERT_NE(row, nullptr);
  ASSERT_NE(row->cost, nullptr);
  CostContext cost(graph, graph.nodes[0]);
  row->cost(cost);
  const Expr macs = cost.amount(Work::Mac);
  const Expr flops =
      macs * 2 + cost.amount(Work::Add) + cost.amount(Work::Mul) + cost.amount(Work::Special);
  if (example.cost.macs >= 0) {
    EXPECT_EQ(macs.text(), Expr(example.cost.macs).text()) << "macs";
  }
  if (example.cost.flops >= 0) {
    EXPECT_EQ(flops.text(), Expr(example.cost.flops).text()) << "flops";
  }
}

TEST_P(OperatorExamples, ShapesAndCosts) {
  for (const OpRule& rule : GetParam().rules)
    for (const Example& example : rule.examples) run_example(rule, example);
}

std::vector<Family> all_families() {
  std::vector<Family> all;
  for (const Dialect& dialect : dialects())
    all.insert(all.end(), dialect.families.begin(), dialect.families.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Families, OperatorExamples, testing::ValuesIn(all_families()),
                         [](const auto& family) { return std::string(family.param.name); });

// Files state the shapes of PyTorch's tensors.
TEST(OperatorTable, EveryRowOfAtenHasACostAndAnExample) {
  for (const Family& family : aten_families())
    for (const OpRule& rule : family.rules) {
      SCOPED_TRACE(std::string(rule.domain) + "." + std::string(rule.name));
      const OpRule* row = find_rule(rule.domain, rule.name, 1);
      ASSERT_NE(row, nullptr);
      EXPECT_EQ(row->name, rule.name);
      EXPECT_NE(row->cost, nullptr);
      EXPECT_EQ(rule.shape, nullptr);
      // Bodies cannot be written on one line.
      if (rule.domain != kHigherOrder) {
        EXPECT_FALSE(rule.examples.empty());
      }
    }
}

TEST(OperatorTable, EveryRowHasRulesAndAnExample) {
  for (const Family& family : families())
    for (const OpRule& rule : family.rules) {
      SCOPED_TRACE(std::string(rule.domain) + "." + std::string(rule.name));
      EXPECT_NE(rule.shape, nullptr);
      EXPECT_NE(rule.cost, nullptr);
      // Bodies cannot be written on one line; control flow has its own tests.
      if (family.name != "control") {
        EXPECT_FALSE(rule.examples.empty());
      }
    }
}

}  // namespace
}  // namespace strata
