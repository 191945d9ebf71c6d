#include "cost/load_work.h"

#include <gtest/gtest.h>

#include "graph/text.h"
#include "strata/infer/infer.h"

namespace strata {
namespace {

struct Counted {
  Model model;
  Costs without, with;  // the work at load
};

Counted count_text(std::string_view text) {
  auto model = model_from_text(text);
  EXPECT_TRUE(model) << model.error().message;
  auto inferred = infer(*model);
  EXPECT_TRUE(inferred) << inferred.error().message;
  Costs without = count(*model);
  Costs with = count(*model, {.load_work = true});
  return {std::move(*model), std::move(without), std::move(with)};
}

// A table of 225 coordinates through an MLP of 2, 512 and 3 channels, as in Swin Transformer V2: it
// becomes a bias of the scores.
constexpr std::string_view kPositions = R"(
    input x f32[1,225,3]
    weight table f32[225,2]
    weight w1 f32[2,512]
    weight b1 f32[512]
    weight w2 f32[512,3]
    h = MatMul(table, w1)
    a = Add(h, b1)
    r = Relu(a)
    m = MatMul(r, w2)
    y = Add(x, m)
    output y)";

TEST(LoadWork, IsLeftOutUnlessItIsAskedFor) {
  const auto [model, without, with] = count_text(kPositions);
  EXPECT_TRUE(without.has_load_work);
  EXPECT_EQ(without.total.macs, Expr(0));
  EXPECT_EQ(without.total.flops(), Expr(675)) << "the last sum";
  const std::int64_t macs = 225 * 2 * 512 + 225 * 512 * 3;
  EXPECT_EQ(with.total.macs, Expr(macs));
  EXPECT_EQ(with.total.flops(), Expr(2 * macs + 2 * 225 * 512 + 675));
}

// The table of coordinates is data: what is learned are the weights and the bias.
TEST(LoadWork, DoesNotChangeWhatIsAParameter) {
  const auto [model, without, with] = count_text(kPositions);
  EXPECT_EQ(without.total.params, Expr(2 * 512 + 512 + 512 * 3));
  EXPECT_EQ(with.total.params, without.total.params);
}

TEST(LoadWork, IsNotTheFormOfAWeightNorTheArithmeticOfShapes) {
  const auto [model, without, with] = count_text(R"(
    input x f32[1,8]
    weight q i8[8,4]
    weight scale f32[]={0.5}
    weight zero i8[]={0}
    weight one i64[2]={1,2}
    weight two i64[2]={1,2}
    w = DequantizeLinear(q, scale, zero)
    y = MatMul(x, w)
    sizes = Mul(one, two)
    z = Reshape(y, sizes)
    output z)");
  EXPECT_FALSE(without.has_load_work);
  EXPECT_EQ(with.total.flops(), without.total.flops());
  EXPECT_EQ(with.total.read_bytes, without.total.read_bytes);
}

// A mask that depends on the length of the input is computed in every run, and is shape arithmetic.
TEST(LoadWork, IsNotWhatFollowsFromTheSizesOfTheInputs) {
  const auto [model, without, with] = count_text(R"(
    input x f32[S,100]
    weight zero i64[]={0}
    weight one i64[]={1}
    weight first i64[]={0}
    weight one_axis i64[1]={1}
    sizes = Shape(x)
    length = Gather(sizes, first)
    positions = Range(zero, length, one)
    floats = Cast(positions) to=1
    doubled = Add(floats, floats)
    column = Unsqueeze(doubled, one_axis)
    y = Add(x, column)
    output y)");
  EXPECT_FALSE(without.has_load_work);
  EXPECT_EQ(with.total.flops(), without.total.flops());
}

// The consequences are part of it: the reshaped table is read by the sum, and its bytes count.
TEST(LoadWork, ContainsWhatOnlyMovesIts) {
  const auto [model, without, with] = count_text(R"(
    input x f32[1,100]
    weight a f32[100]
    weight b f32[100]
    weight order i64[100]
    c = Mul(a, b)
    d = Gather(c, order) axis=0
    y = Add(x, d)
    output y)");
  EXPECT_EQ(with.total.muls, Expr(100));
  ASSERT_EQ(with.nodes.size(), 3u);
  EXPECT_TRUE(with.nodes[1].cost->at_load);
  EXPECT_FALSE(with.nodes[1].cost->folded);
  EXPECT_FALSE(with.nodes[2].cost->at_load);
  EXPECT_TRUE(without.nodes[1].cost->folded);
}

// The body runs 5 times; its weight is squared once.
TEST(LoadWork, InABodyIsDoneOnce) {
  auto model = model_from_text(R"(
    input x f32[100]
    weight trips i64[]={5}
    weight going bool[]={true}
    y = Loop(trips, going, x)
    output y)");
  auto body = model_from_text(R"(
    input i i64[]
    input going bool[]
    input s f32[100]
    weight w f32[100]
    still = Identity(going)
    v = Mul(w, w)
    t = Add(s, v)
    output still
    output t)");
  ASSERT_TRUE(model && body);
  model->graphs.push_back(body->graph());
  model->graphs.back().parent = &model->graph();
  const Attribute attributes[] = {{"body", &model->graphs.back()}};
  model->graph().nodes.change(0, [&](Node& node) { node.attributes = attributes; });
  ASSERT_TRUE(infer(*model));
  const NodeCost without = count(*model).total;
  EXPECT_EQ(without.muls, Expr(0));
  EXPECT_EQ(without.adds, Expr(500));
  const NodeCost with = count(*model, {.load_work = true}).total;
  EXPECT_EQ(with.muls, Expr(100));
  EXPECT_EQ(with.adds, Expr(500));
}

}  // namespace
}  // namespace strata
