#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/calibrate/calibrate.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> layers_of(const build::Network& network) {
  std::vector<std::string> layers;
  for (const Watched& one : watched_tensors(network.model)) layers.push_back(one.layer);
  return layers;
}

// A layer ends after norm and activation; tensors before that are not watched, nor are outputs of
// operators that only pass elements on: a max pool, a Flatten.
TEST(WatchedTensors, EndsOfLayersAndWhatIsBetween) {
  build::Builder net("Tiny");
  build::Var x = net.input("x", {1, 3, 8, 8});
  x = net.relu("act", net.batch_norm("norm", net.conv("conv", x, 4, {.kernel = 3, .pad = 1})));
  const build::Var y = net.batch_norm("exit_norm", net.conv("exit", x, 4));
  x = net.add(x, y);
  x = net.max_pool("pool", x, {.kernel = 2, .stride = 2});
  net.output("out", net.linear("head", net.flatten(x), 5));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(layers_of(*network), ElementsAre("", "conv", "exit", "Add", "head"));
}

// A SiLU is computed apart from the convolution, as a sigmoid and a product.
TEST(WatchedTensors, ActivationsThatAreNotFused) {
  build::Builder net("Tiny");
  build::Var x = net.input("x", {1, 3, 8, 8});
  x = net.silu("act", net.conv("conv", x, 4));
  net.output("out", net.conv("head", x, 5));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_THAT(layers_of(*network), ElementsAre("", "conv", "conv", "conv", "head"));
}

TEST(WatchedTensors, ChannelsOfImagesAndOfRows) {
  build::Builder net("Tiny");
  build::Var x = net.input("x", {1, 3, 8, 8});
  x = net.flatten(net.conv("conv", x, 4));
  net.output("out", net.linear("head", x, 5));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  std::vector<std::int64_t> axes;
  for (const Watched& one : watched_tensors(network->model, true)) axes.push_back(one.channel_axis);
  EXPECT_THAT(axes, ElementsAre(1, 1, 1));
  for (const Watched& one : watched_tensors(network->model)) EXPECT_EQ(one.channel_axis, -1);
}

// 52 convolutions, 10 sums, the mean before the classifier, the classifier, and the input.
TEST(WatchedTensors, OfMobileNetV2) {
  const auto network = zoo::build("mobilenet_v2");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(watched_tensors(network->model).size(), 52u + 10 + 1 + 1 + 1);
}

}  // namespace
}  // namespace strata
