// Checks the costs of control-flow bodies.
#include "cost/bodies.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/cost/liveness.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

// A network around a body: `y = Op(...)`, whose body is the first graph's text.
Model with_bodies(std::string_view outer,
                  const std::vector<std::pair<std::string, std::string>>& bodies) {
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
  model->graph().nodes.change(0, [&](Node& node) {
    node.attributes = model->keep(std::span<const Attribute>(attributes));
  });
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

// A branch whose tensors are all results of its node hides no memory. One with a tensor of its own
// does, and so does a loop, which has the results of two steps at once.
TEST(Bodies, MemoryInsideMakesThePeakALowerBound) {
  constexpr const char* kOneStep = R"(
    input x f32[4,4]
    y = Relu(x)
    output y)";
  const auto certainty = [](Model model) {
    EXPECT_TRUE(infer(model));
    return find_liveness(model, count(model)).certainty;
  };
  const auto branching = [&](const char* text) {
    Model model = with_bodies(R"(
      input c bool[]
      input x f32[4,4]
      y = If(c)
      output y)",
                              {{"then_branch", text}, {"else_branch", text}});
    for (Graph& graph : model.graphs) {
      if (graph.parent == nullptr) continue;
      Tensor& x = graph.tensors[graph.inputs[0]];
      x.role = Role::Captured;
      x.outer = model.graph().inputs[1];
      graph.inputs.clear();
    }
    return model;
  };
  EXPECT_EQ(certainty(branching(kOneStep)), Certainty::Exact);
  EXPECT_EQ(certainty(branching(R"(
    input x f32[4,4]
    t = Exp(x)
    y = Relu(t)
    output y)")),
            Certainty::LowerBound);
  EXPECT_EQ(certainty(with_bodies(R"(
    input x f32[4,4]
    weight trips i64[]={10}
    weight going bool[]={true}
    y = Loop(trips, going, x)
    output y)",
                                  {{"body", kLoopBody}})),
            Certainty::LowerBound);
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

// then: x (N×10) by 10×40, 400·N MACs; else: a (N×4) by b (4×N), 4·N² MACs.
Model open_if(std::string_view size) {
  const std::string n(size);
  Model model = with_bodies(
      "input c bool[]\ninput x f32[" + n + ",10]\ninput a f32[" + n + ",4]\ninput b f32[4," + n +
          "]\ny = If(c)\noutput y",
      {{"then_branch", "input x f32[1,10]\nweight w f32[10,40]\ny = MatMul(x, w)\noutput y"},
       {"else_branch", "input a f32[1,4]\ninput b f32[4,1]\ny = MatMul(a, b)\noutput y"}});
  for (Graph& graph : model.graphs) {
    if (graph.parent == nullptr) continue;
    for (const TensorId id : graph.inputs) {
      Tensor& inner = graph.tensors[id];
      inner.role = Role::Captured;
      for (TensorId outer = 0; outer < model.graph().tensors.size(); ++outer)
        if (model.graph().tensors[outer].name == inner.name) inner.outer = outer;
    }
    graph.inputs.clear();
  }
  EXPECT_TRUE(infer(model));
  return model;
}

TEST(Bodies, AnUndecidedIfCostsTheLargerBranchForEverySize) {
  const Model open = open_if("N");
  const Costs costs = count(open);
  EXPECT_EQ(costs.total.macs.text(), "max(4·N^2, 400·N)");
  EXPECT_EQ(costs.total.certainty, Certainty::Exact);
  EXPECT_EQ(costs.total.bytes_certainty, Certainty::Exact);
  for (const std::int64_t n : {1, 2, 50, 99, 100, 101, 1000}) {
    const auto at = [&](const Expr& figure) {
      return figure.substitute([&](std::string_view) { return std::optional<Expr>(n); }).number();
    };
    EXPECT_EQ(at(costs.total.macs), std::max(400 * n, 4 * n * n));
    EXPECT_EQ(at(costs.total.flops()), 2 * std::max(400 * n, 4 * n * n));
    // f32: both operands are read.
    EXPECT_EQ(at(costs.total.read_bytes), 4 * std::max(10 * n + 400, 8 * n));
    // The formula agrees with the count for a given size.
    const Costs given = count(open_if(std::to_string(n)));
    EXPECT_EQ(given.total.macs.number(), at(costs.total.macs));
    EXPECT_EQ(given.total.flops().number(), at(costs.total.flops()));
    EXPECT_EQ(given.total.read_bytes.number(), at(costs.total.read_bytes));
  }
}

TEST(Bodies, RowsOfAnUndecidedIfAddUpToItsTotal) {
  const Model open = open_if("N");
  const Costs costs = count(open);
  NodeCost sum;
  for (const Executed& executed : costs.nodes) add_to(sum, executed.cost, executed.times);
  EXPECT_EQ(sum.macs, costs.total.macs);
  EXPECT_EQ(sum.flops(), costs.total.flops());
  EXPECT_EQ(sum.read_bytes, costs.total.read_bytes);
  EXPECT_EQ(sum.write_bytes, costs.total.write_bytes);
  EXPECT_TRUE(costs.nodes[0].cost->depends_on_branch);
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
