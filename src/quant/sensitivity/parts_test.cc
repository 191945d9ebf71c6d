#include "strata/sensitivity/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sensitivity/keep_order.h"
#include "strata/build/builder.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Parts : public testing::Test {
 protected:
  // x → a (relu) → b, + a → sum (relu) → pool → c (relu) → flatten → fc
  void SetUp() override {
    build::Builder net("Net");
    const build::Var a = net.relu("ra", net.conv("a", net.input("x", {1, 4, 8, 8}), 4));
    const build::Var b = net.conv("b", a, 4);
    build::Var x = net.relu("rs", net.add(b, a));
    x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
    x = net.relu("rc", net.conv("c", x, 4));
    net.output("y", net.linear("fc", net.flatten(x), 3));
    network_ = std::move(net).finish().value();
    layers_ = find_quant_layers(network_.model);
  }
  std::vector<std::string> labels(const std::vector<std::string>& words) const {
    const auto floats = stays_float(network_.model, layers_, words);
    EXPECT_TRUE(floats) << floats.error().message;
    std::vector<std::string> out;
    for (const QuantPart& part : quant_parts(network_.model, layers_, *floats))
      out.push_back(part.label);
    return out;
  }
  std::string mistake(const std::vector<std::string>& words) const {
    const auto floats = stays_float(network_.model, layers_, words);
    return floats ? "" : floats.error().message;
  }

  build::Network network_;
  std::vector<QuantLayer> layers_;
};

TEST_F(Parts, AllThatTheFileRounds) {
  EXPECT_THAT(labels({}), ElementsAre("x:input", "a:weights", "a:output", "b:weights", "b:output",
                                      "rs:output", "c:weights", "c:output", "fc:weights"));
}

// A layer in float does not mean an activation in float: its input and output are still rounded
// if another layer needs that. The sum before `c`, which only `c` reads, is not needed in int8.
TEST_F(Parts, ALayerKeepsItsWeightsOnly) {
  EXPECT_THAT(labels({"b"}), ElementsAre("x:input", "a:weights", "a:output", "rs:output",
                                         "c:weights", "c:output", "fc:weights"));
  EXPECT_THAT(labels({"c"}), ElementsAre("x:input", "a:weights", "a:output", "b:weights",
                                         "b:output", "c:output", "fc:weights"));
  const auto rounding =
      layer_rounding(network_.model, layers_, stays_float(network_.model, layers_, {"c"}).value());
  EXPECT_FALSE(rounding[2].input);
  EXPECT_TRUE(rounding[2].output);
  EXPECT_TRUE(rounding[3].input);
  EXPECT_FALSE(rounding[3].output);
}

// It takes along the convolution that can give it only as whole numbers, and everything that reads
// it as such.
TEST_F(Parts, AnActivationTakesWhatIsBesideItAlong) {
  EXPECT_THAT(labels({"c:output"}),
              ElementsAre("x:input", "a:weights", "a:output", "b:weights", "b:output"));
  EXPECT_THAT(labels({"c:input"}),  // the sum, passed on by the pool
              ElementsAre("x:input", "a:weights", "a:output", "b:weights", "b:output", "c:output",
                          "fc:weights"));
  EXPECT_THAT(labels({"x:input"}), ElementsAre("a:output", "b:weights", "b:output", "rs:output",
                                               "c:weights", "c:output", "fc:weights"));
  EXPECT_THAT(labels({"b:output"}), ElementsAre("x:input", "a:weights", "a:output", "rs:output",
                                                "c:weights", "c:output", "fc:weights"));
}

TEST_F(Parts, Words) {
  EXPECT_EQ(labels({"rs:output"}), labels({"c:input"}));
  EXPECT_EQ(labels({"c:weights"}), labels({"c"}));
  EXPECT_THAT(mistake({"nosuch"}), HasSubstr("there is no layer \"nosuch\""));
  EXPECT_THAT(mistake({"nosuch:output"}), HasSubstr("nosuch"));
  EXPECT_THAT(mistake({"fc:output"}), HasSubstr("nothing is rounded there"));
}

// Drops by label; all layers save the same time.
std::vector<std::string> order(const Model& model, const std::vector<QuantLayer>& layers,
                               const std::map<std::string, double>& drops,
                               std::vector<double> saved = {1, 1, 1, 1}) {
  KeepWorth worth;
  worth.parts = quant_parts(model, layers);
  for (const QuantPart& part : worth.parts)
    worth.drops.push_back(drops.contains(part.label) ? drops.at(part.label) : 1e-9);
  worth.seconds_saved = std::move(saved);
  std::vector<std::string> labels;
  for (const KeepStep& step : keep_order(model, layers, worth)) labels.push_back(step.label);
  return labels;
}

TEST_F(Parts, TheEdgeThatHurtsIsKeptAndNotTheLayer) {
  EXPECT_EQ(order(network_.model, layers_, {{"c:output", 1.0}}).front(), "c:output");
  EXPECT_EQ(order(network_.model, layers_, {{"c:weights", 1.0}}).front(), "c:weights");
}

// The drop is the same, but one of them takes two layers that gain much to floats.
TEST_F(Parts, ByDropOverTimeSaved) {
  const std::map<std::string, double> drops = {{"b:output", 1.0}, {"c:output", 1.0}};
  EXPECT_EQ(order(network_.model, layers_, drops, {1, 1, 9, 9}).front(), "b:weights");
  EXPECT_EQ(order(network_.model, layers_, drops, {1, 90, 9, 9}).front(), "c:output");
}

TEST_F(Parts, TheOrderLeavesALayerInInt8) {
  StaysFloat floats;
  KeepWorth worth;
  worth.parts = quant_parts(network_.model, layers_);
  worth.drops.assign(worth.parts.size(), 1);
  worth.seconds_saved.assign(layers_.size(), 1);
  for (const KeepStep& step : keep_order(network_.model, layers_, worth)) add_to(floats, step);
  std::size_t left = 0;
  for (const QuantPart& part : quant_parts(network_.model, layers_, floats))
    left += part.kind == QuantPart::Kind::Weights ? 1 : 0;
  EXPECT_GE(left, 1u);
}

}  // namespace
}  // namespace strata
