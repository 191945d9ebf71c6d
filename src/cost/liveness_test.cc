#include "strata/cost/liveness.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

struct Lived {
  Model model;
  Liveness liveness;
};

Lived live_text(std::string_view text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  EXPECT_TRUE(infer(*model));
  const Costs costs = count(*model);
  Liveness liveness = find_liveness(*model, costs);
  return {std::move(*model), std::move(liveness)};
}

TEST(Liveness, ChainHoldsInputAndOutputOfEachStep) {
  const auto [model, live] = live_text(R"(
    input x f32[100]
    a = Relu(x)
    b = Relu(a)
    output b)");
  EXPECT_EQ(live.peak_bytes, Expr(800));
  EXPECT_EQ(live.alive[0], Expr(800));
  EXPECT_EQ(live.alive[1], Expr(800));
}

TEST(Liveness, ResidualKeepsItsInput) {
  const auto [model, live] = live_text(R"(
    input x f32[100]
    a = Relu(x)
    b = Sigmoid(a)
    c = Tanh(b)
    d = Add(a, c)
    output d)");
  EXPECT_EQ(live.peak_bytes, Expr(1200));  // a, b, c while Tanh runs
  EXPECT_EQ(live.peak_node, 2u);
  EXPECT_EQ(live.at_peak.size(), 3u);
}

TEST(Liveness, ViewSharesMemoryAndKeepsItAlive) {
  const auto [model, live] = live_text(R"(
    input x f32[4,25]
    weight shape i64[1]={100}
    a = Relu(x)
    v = Reshape(a, shape)
    b = Relu(v)
    output b)");
  EXPECT_EQ(live.alive[1], Expr(400)) << "a alone: x is read, v is the same memory";
  EXPECT_EQ(live.alive[2], Expr(800));
}

TEST(Liveness, OpenSizesGiveAFormula) {
  const auto [model, live] = live_text(R"(
    input x f32[N,100]
    a = Relu(x)
    output a)");
  EXPECT_EQ(live.peak_bytes, Expr::symbol("N") * 800);
  EXPECT_FALSE(plan_arena(model, live)) << "an arena needs numbers";
}

// For any set of lifetimes: no two tensors that are alive together overlap, and the arena is at
// least as large as what is alive at once.
RC_GTEST_PROP(Arena, BlocksAliveTogetherDoNotOverlap, ()) {
  Model model;
  if (model.graphs.empty()) model.graphs.emplace_back();
  Liveness live;
  const auto count = *rc::gen::inRange<std::size_t>(0, 40);
  for (std::size_t i = 0; i < count; ++i) {
    const auto first = *rc::gen::inRange<NodeId>(0, 20);
    const auto last = *rc::gen::inRange<NodeId>(first, 25);
    live.lifetimes.push_back(
        {static_cast<TensorId>(i), first, last, Expr(*rc::gen::inRange(1, 5000))});
    model.graph().tensors.emplace_back();
  }
  std::stable_sort(live.lifetimes.begin(), live.lifetimes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto plan = plan_arena(model, live);
  RC_ASSERT(plan.has_value());
  RC_ASSERT(plan->bytes >= plan->bound);
  RC_ASSERT(plan->blocks.size() == count);
  for (std::size_t i = 0; i < plan->blocks.size(); ++i) {
    const auto& a = plan->blocks[i];
    RC_ASSERT(a.offset % 64 == 0 && a.offset + a.bytes <= plan->bytes);
    for (std::size_t j = i + 1; j < plan->blocks.size(); ++j) {
      const auto& b = plan->blocks[j];
      const bool together = a.first <= b.last && b.first <= a.last;
      RC_ASSERT(!together || a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
    }
  }
}

}  // namespace
}  // namespace strata
