#include "strata/sensitivity/findings.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Blocks of three convolutions (expand, depthwise, exit), as in MobileNet v2.
std::vector<QuantLayer> blocks(std::size_t count) {
  std::vector<QuantLayer> layers;
  for (std::size_t b = 0; b < count; ++b)
    for (const char* part : {"expand", "depthwise", "exit"}) {
      QuantLayer layer;
      layer.path = "features." + std::to_string(b) + "." + part;
      layer.kind = LayerKind::Conv;
      layer.has_norm = true;
      layer.depthwise = std::string(part) == "depthwise";
      layer.pointwise = !layer.depthwise;
      if (std::string(part) == "exit") {
        layer.role = LayerRole::BlockExit;
        layer.exit_of = BlockKind::MBConv;
      } else {
        layer.has_activation = true;
      }
      layers.push_back(layer);
    }
  return layers;
}

using Drops = std::vector<std::optional<double>>;

// Drops around one, within a factor of two.
Drops even_drops(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> spread(-0.7, 0.7);
  Drops drops;
  for (std::size_t i = 0; i < count; ++i) drops.emplace_back(1e-4 * std::exp(spread(random)));
  return drops;
}

TEST(Findings, ExitConvolutionsThatLoseMore) {
  const auto layers = blocks(8);
  Drops drops = even_drops(layers.size(), 1);
  for (std::size_t l = 2; l < layers.size(); l += 3) *drops[l] *= 20;
  const auto found = find_patterns(layers, drops);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence, HasSubstr("exit convolutions of MBConv"));
  EXPECT_THAT(found[0].layers, ElementsAre(2, 5, 8, 11, 14, 17, 20, 23));
  EXPECT_EQ(found[0].others, 16);
  EXPECT_LE(found[0].p, 0.01);
  EXPECT_GT(found[0].median, 10 * found[0].elsewhere);
}

TEST(Findings, DepthwiseConvolutionsThatLoseMore) {
  const auto layers = blocks(8);
  Drops drops = even_drops(layers.size(), 2);
  for (std::size_t l = 1; l < layers.size(); l += 3) *drops[l] *= 5;
  const auto found = find_patterns(layers, drops);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].sentence, HasSubstr("depthwise convolutions"));
}

// With drops that have nothing to do with kind or place, and spread over powers of ten, about one
// run in twenty may name a group; three of sixty are expected.
TEST(Findings, NothingWhereChanceAloneDecides) {
  const auto layers = blocks(8);
  std::size_t named = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> spread(-9, 1.2);
    Drops drops;
    for (std::size_t l = 0; l < layers.size(); ++l) drops.emplace_back(spread(random));
    for (const Finding& finding : find_patterns(layers, drops))
      named += finding.layers.size() > 1 ? 1 : 0;
  }
  EXPECT_LE(named, 6);
}

TEST(Findings, ASingleLayerThatStandsOut) {
  const auto layers = blocks(8);
  Drops drops = even_drops(layers.size(), 3);
  *drops[8] = 1e-2;
  const auto found = find_patterns(layers, drops);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].layers, ElementsAre(8));
  EXPECT_THAT(found[0].sentence, HasSubstr("features.2.exit stands out (exit of MBConv"));
}

TEST(Findings, ASingleLayerThatDoesNot) {
  const auto layers = blocks(8);
  Drops drops = even_drops(layers.size(), 3);
  *drops[8] = 5e-4;
  EXPECT_THAT(find_patterns(layers, drops), IsEmpty());
}

TEST(Findings, TwoOfAKindThatBothStandOut) {
  auto layers = blocks(4);
  Drops drops = even_drops(layers.size(), 4);
  for (const std::size_t l : {3u, 6u}) {
    layers[l].role = LayerRole::AttentionScaling;
    layers[l].has_norm = layers[l].has_activation = false;
    *drops[l] = 1e-2;
  }
  const auto found = find_patterns(layers, drops);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].layers, ElementsAre(3, 6));
  EXPECT_THAT(found[0].sentence, HasSubstr("attention"));
}

TEST(Findings, WhatIsNotKnownShowsNothing) {
  const auto layers = blocks(3);
  EXPECT_THAT(find_patterns(layers, Drops(layers.size())), IsEmpty());
  EXPECT_THAT(find_patterns({}, {}), IsEmpty());
  // Nothing is lost anywhere, as when accuracy does not change.
  EXPECT_THAT(find_patterns(layers, Drops(layers.size(), 0.0)), IsEmpty());
  Drops one(layers.size(), 0.0);
  one[2] = 0.01;
  EXPECT_THAT(find_patterns(layers, one), IsEmpty());
}

TEST(Findings, WordsOfALayer) {
  QuantLayer layer;
  layer.first = layer.depthwise = true;
  EXPECT_EQ(layer_words(layer), "first, depthwise, neither norm nor activation");
  layer.has_norm = true;
  layer.role = LayerRole::BlockExit;
  layer.exit_of = BlockKind::FusedMBConv;
  EXPECT_EQ(layer_words(layer), "first, exit of fused MBConv, depthwise, no activation");
}

}  // namespace
}  // namespace strata
