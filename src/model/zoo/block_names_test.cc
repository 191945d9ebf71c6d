#include "zoo/block_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

using testing::ElementsAre;

constexpr BlockScheme::Name kStages[] = {{"stem", "first"}, {"body", "second"}};
constexpr std::string_view kContainers[] = {"Sequential"};
constexpr BlockScheme::Name kKinds[] = {{"Plain", "plain"}, {"Inner", "wrapped"}};
constexpr BlockScheme kScheme = {{}, kStages, kContainers, kKinds};

std::vector<std::string> names_of(Builder net, Var output) {
  net.output("y", output);
  const auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  const Costs costs = count(network->model);
  const Layers layers = find_layers(network->model, costs);
  const LayerEdges edges(network->model, costs, layers);
  std::vector<std::string> names;
  for (const auto& name : block_names(network->model, layers, edges, kScheme))
    names.push_back(name ? text(*name) : "-");
  return names;
}

TEST(BlockNames, CountStagesBlocksAndLayersFromZero) {
  Builder net("Net");
  Var x = net.input("x", {1, 4, 8, 8});
  {
    const auto stage = net.module("stem", "Sequential");
    const auto block = net.module("0", "Plain");
    x = net.relu("act", net.batch_norm("norm", net.conv("conv", x, 4)));
    x = net.gelu_tanh("act2", net.conv("conv2", x, 4));
  }
  {
    const auto stage = net.module("body", "Sequential");
    {
      // It has no convolution, so it gets no number.
      const auto block = net.module("0", "Plain");
      x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
    }
    const auto block = net.module("1", "Wrapper");
    const auto inner = net.module("main", "Inner");
    x = net.silu("act", net.conv("conv", x, 4));
  }
  x = net.conv("head", x, 2);
  EXPECT_THAT(names_of(std::move(net), x),
              ElementsAre("first:0:0:conv:plain", "first:0:0:norm:plain", "first:0:0:act:plain",
                          "first:0:1:conv:plain", "first:0:1:act:plain", "-",
                          "second:0:0:conv:wrapped", "second:0:0:act:wrapped", "-"));
}

TEST(BlockNames, AnActivationBelongsToTheConvolutionThatItReads) {
  Builder net("Net");
  Var x = net.input("x", {1, 4, 8, 8});
  {
    const auto stage = net.module("stem", "Sequential");
    const auto block = net.module("0", "Other");
    const Var a = net.conv("a", x, 4);
    const Var b = net.conv("b", x, 4);
    const Var sum = net.relu("of_sum", net.add(a, b));  // does not follow a convolution
    const Var of_a = net.relu("of_a", a);
    const Var twice = net.relu("again", of_a);  // its layer already has an activation
    x = net.add(sum, twice);
  }
  EXPECT_THAT(names_of(std::move(net), x), ElementsAre("first:0:0:conv:", "first:0:1:conv:", "-",
                                                       "-", "first:0:0:act:", "-", "-"));
}

}  // namespace
}  // namespace strata::zoo
