#include "sensitivity/families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/build/builder.h"
#include "strata/zoo/zoo.h"

namespace strata {
namespace {

using testing::ElementsAre;

// Blocks of two convolutions between a first and a last layer; `odd` has another window.
build::Network repeated(std::size_t blocks, std::size_t odd) {
  build::Builder net("Net");
  build::Var x = net.conv("stem", net.input("x", {1, 3, 8, 8}), 4, {.kernel = 3, .pad = 1});
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::string name = "layers." + std::to_string(b);
    const std::int64_t window = b == odd ? 1 : 3;
    build::Var y = net.relu(name + ".act",
                            net.conv(name + ".wide", x, 8, {.kernel = window, .pad = window / 2}));
    x = net.add(x, net.conv(name + ".back", y, 4));
  }
  net.output("y", net.linear("head", net.flatten(x), 10));
  auto network = std::move(net).finish();
  EXPECT_TRUE(network) << network.error().message;
  return std::move(*network);
}

constexpr std::size_t kNoBlock = 100;

std::vector<std::string> stood_for(const std::vector<QuantLayer>& layers, const Families& found) {
  std::vector<std::string> out;
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (found.like[l] != l) out.push_back(layers[l].path + "=" + layers[found.like[l]].path);
  return out;
}

TEST(Families, LayersInTheSamePlaceOfEqualBlocks) {
  const build::Network network = repeated(3, kNoBlock);
  const auto layers = find_quant_layers(network.model);
  const std::vector<OwnNoise> noise(layers.size(), {30, 40});
  const Families found = find_families(network.model, layers, {}, noise);
  EXPECT_THAT(stood_for(layers, found),
              ElementsAre("layers.0.wide=layers.1.wide", "layers.0.back=layers.1.back",
                          "layers.2.wide=layers.1.wide", "layers.2.back=layers.1.back"));
  ASSERT_EQ(found.blocks.size(), 1);
  EXPECT_THAT(found.blocks[0].blocks, ElementsAre("layers.0", "layers.1", "layers.2"));
  EXPECT_EQ(found.blocks[0].layers, 6);
  EXPECT_EQ(found.blocks[0].standing, 2);
  EXPECT_EQ(found.blocks[0].members, 4);
}

TEST(Families, ABlockOfAnotherShapeIsNone) {
  const build::Network network = repeated(3, 0);
  const auto layers = find_quant_layers(network.model);
  const std::vector<OwnNoise> noise(layers.size(), {30, 40});
  EXPECT_THAT(stood_for(layers, find_families(network.model, layers, {}, noise)),
              ElementsAre("layers.2.wide=layers.1.wide", "layers.2.back=layers.1.back"));
}

TEST(Families, OneThatRoundingHurtsMoreIsOnItsOwn) {
  const build::Network network = repeated(4, kNoBlock);
  const auto layers = find_quant_layers(network.model);
  ASSERT_EQ(layers[3].path, "layers.1.wide");
  for (const OwnNoise& other : {OwnNoise{26, 40}, OwnNoise{30, 44}, OwnNoise{{}, 40}}) {
    std::vector<OwnNoise> noise(layers.size(), {30, 40});
    noise[3] = other;
    const Families found = find_families(network.model, layers, {}, noise);
    EXPECT_EQ(found.like[3], 3);
    EXPECT_EQ(found.blocks[0].members, 5);
  }
  // Parts that are not rounded do not count.
  std::vector<OwnNoise> noise(layers.size(), {30, {}});
  EXPECT_EQ(find_families(network.model, layers, {.activations = false}, noise).blocks[0].members,
            6);
  EXPECT_TRUE(find_families(network.model, layers, {}, noise).blocks.empty());
}

TEST(Families, ManyHaveSeveralThatStandForThem) {
  const build::Network network = repeated(12, kNoBlock);
  const auto layers = find_quant_layers(network.model);
  const std::vector<OwnNoise> noise(layers.size(), {30, 40});
  const Families found = find_families(network.model, layers, {}, noise);
  ASSERT_EQ(found.blocks.size(), 1);
  EXPECT_EQ(found.blocks[0].standing, 4);
  EXPECT_EQ(found.blocks[0].members, 20);
}

// The 12 blocks of ViT, and, in ResNet-50's stages, all but the first block, which changes the
// channels.
TEST(Families, OfRealNetworks) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"vit_b_16", {"encoder.layers.encoder_layer_0 12"}},
      {"resnet50", {"layer1.1 2", "layer2.1 3", "layer3.1 5", "layer4.1 2"}}};
  for (const auto& [name, blocks] : cases) {
    auto network = zoo::build(name);
    ASSERT_TRUE(network);
    const auto layers = find_quant_layers(network->model);
    const std::vector<OwnNoise> noise(layers.size(), {30, 40});
    std::vector<std::string> found;
    for (const AlikeBlocks& alike : find_families(network->model, layers, {}, noise).blocks)
      found.push_back(alike.blocks[0] + " " + std::to_string(alike.blocks.size()));
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(blocks)) << name;
  }
}

}  // namespace
}  // namespace strata
