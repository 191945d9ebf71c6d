// What the bodies of control flow add to a network's cost.
#include "cost/bodies.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// A network around a body: `y = Op(...)`, whose body is the first graph's text.
Model with_bodies(std::string_view outer, std::vector<std::pair<std::string, std::string>> bodies) {
  auto model = model_from_text(outer);
  EXPECT_TRUE(model) << model.error().message;
  std::vector<Attribute> attributes(model->graph().nodes[0].attributes.begin(),
                                    model->graph().nodes[0].attributes.end());
  for (const auto& [name, text] : bodies) {
    static std::vector<Model> kept;  // their arenas own the bodies' text
    auto body = model_from_text(text);
    EXPECT_TRUE(body) << body.error().message;
    Graph graph = body->graph();
    graph.parent = &model->graph();
    model->graphs.push_back(std::move(graph));
    attributes.push_back({model->keep(name), &model->graphs.back()});
    kept.push_back(std::move(*body));
  }
  model->graph().nodes[0].attributes = model->keep(std::span<const Attribute>(attributes));
  return std::move(*model);
}

constexpr const char* kLoopBody = R"(
    input i i64[]
    input going bool[]
    input x f32[4,4]
    still = Identity(going)
    y = Relu(x)
    output still
    output y)";

TEST(Bodies, LoopMultipliesByItsTripCount) {
  Model model = with_bodies(R"(
    input x f32[4,4]
    weight trips i64[]={10}
    weight going bool[]={true}
    y = Loop(trips, going, x)
    output y)",
                            {{"body", kLoopBody}});
  ASSERT_TRUE(infer(model));
  const Costs costs = count(model);
  EXPECT_EQ(costs.total.flops(), Expr(10 * 16));
  EXPECT_EQ(costs.total.certainty, Certainty::Exact);
}

TEST(Bodies, IfCountsTheLargerBranchAndSaysSo) {
  Model model = with_bodies(R"(
    input c bool[]
    y = If(c)
    output y)",
                            {{"then_branch", "weight w f32[8]\ny = Relu(w)\nz = Relu(y)\noutput z"},
                             {"else_branch", "weight w f32[8]\ny = Relu(w)\noutput y"}});
  ASSERT_TRUE(infer(model));
  const Costs costs = count(model);
  ASSERT_EQ(costs.notes.size(), 1u);
  EXPECT_NE(costs.notes[0].find("the larger is counted"), std::string::npos);
}

TEST(Bodies, BranchThatIsNotTakenCostsNothing) {
  Model model = with_bodies(R"(
    weight c bool[]={false}
    input x f32[8]
    y = If(c)
    output y)",
                            {{"then_branch", "input q f32[8]\ny = Relu(q)\nz = Relu(y)\noutput z"},
                             {"else_branch", "input q f32[8]\ny = Relu(q)\noutput y"}});
  for (Graph& graph : model.graphs)
    if (graph.parent != nullptr) {  // both read x from outside
      graph.tensors[graph.inputs[0]].role = Role::Captured;
      graph.tensors[graph.inputs[0]].outer = 1;
      graph.inputs.clear();
    }
  ASSERT_TRUE(infer(model));
  const Costs costs = count(model);
  EXPECT_EQ(costs.total.flops(), Expr(8));
  EXPECT_TRUE(costs.notes.empty());
}

}  // namespace
}  // namespace strata
