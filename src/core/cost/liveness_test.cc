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

// Scores of n·n floats, twice, beside x of 8·n; or what the last products hold, 32·n + 256·n bytes.
TEST(Liveness, OpenSizesDecideWhichFormulaIsThePeak) {
  const auto both = live_text(R"(
    input x f32[1,N,8]
    weight w f32[8,64]
    weight v f32[64,8]
    t = Transpose(x) perm=0,2,1
    s = MatMul(x, t)
    p = Softmax(s)
    c = MatMul(p, x)
    l = MatMul(c, w)
    o = MatMul(l, v)
    output o)");
  const auto& model = both.model;
  const auto& live = both.liveness;
  const auto peak_at = [&](std::int64_t n) {
    return live.peak_bytes.substitute([&](std::string_view) { return std::optional(Expr(n)); });
  };
  EXPECT_EQ(peak_at(1), Expr(288));
  EXPECT_EQ(peak_at(10), Expr(2880));
  EXPECT_EQ(peak_at(1000), Expr(8032000));
  EXPECT_EQ(live.certainty, Certainty::Exact);
  EXPECT_EQ(live.peak_node, 2u) << "for large sizes";
  ASSERT_EQ(live.at_peak.size(), 3u);
  EXPECT_EQ(model.graph().tensors[live.at_peak[2].tensor].name, "x");
}

// A random network over rows of N numbers, as text with a number or a symbol for N.
struct RandomNetwork {
  struct Step {
    char op;               // r: Relu, p: a product with weights, s: all rows with all rows
    std::size_t from;      // the tensor it reads
    std::int64_t columns;  // of p
  };
  std::vector<Step> steps;

  std::string text(const std::string& n) const {
    std::vector<std::string> columns = {"4"};
    std::string out = "input t0 f32[" + n + ",4]\n";
    for (const Step& step : steps) {
      const std::string id = std::to_string(columns.size());
      const std::size_t from = step.from % columns.size();
      const std::string read = "t" + std::to_string(from), own = columns[from];
      if (step.op == 'r') {
        out += "t" + id + " = Relu(" + read + ")\n";
        columns.push_back(own);
      } else if (step.op == 's') {
        out += "u" + id + " = Transpose(" + read + ") perm=1,0\n";
        out += "t" + id + " = MatMul(" + read + ", u" + id + ")\n";
        columns.push_back(n);
      } else {
        const std::string wide = std::to_string(step.columns);
        out += "weight w" + id + " f32[" + own + "," + wide + "]\n";
        out += "t" + id + " = MatMul(" + read + ", w" + id + ")\n";
        columns.push_back(wide);
      }
    }
    return out + "output t" + std::to_string(steps.size()) + "\n";
  }
};

// Brute force: the formula at any size is the peak of the network with that size.
RC_GTEST_PROP(Liveness, ThePeakOfOpenSizesIsThatOfEverySize, ()) {
  RandomNetwork network;
  const auto count = *rc::gen::inRange(1, 12);
  for (int i = 0; i < count; ++i)
    network.steps.push_back({*rc::gen::element('r', 'p', 's'),
                             *rc::gen::inRange<std::size_t>(0, 12),
                             *rc::gen::inRange<std::int64_t>(1, 80)});
  const Lived open = live_text(network.text("N"));
  RC_ASSERT(open.liveness.certainty == Certainty::Exact);
  for (const std::int64_t n : {1, 2, 3, 5, 8, 13, 40, 100, 1000}) {
    const Lived fixed = live_text(network.text(std::to_string(n)));
    RC_ASSERT(open.liveness.peak_bytes.substitute([&](std::string_view) {
      return std::optional(Expr(n));
    }) == fixed.liveness.peak_bytes);
  }
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
