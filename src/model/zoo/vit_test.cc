#include <gtest/gtest.h>

#include "strata/cost/layers.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

Network built(std::string_view name) {
  auto network = build(name);
  EXPECT_TRUE(network) << network.error().message;
  return *std::move(network);
}

Expr parameters(std::string_view name) { return count(built(name).model).total.params; }
Expr macs(std::string_view name) { return count(built(name).model).total.macs; }

// Patches, then for each layer the projections, the two products of attention and the MLP.
Expr macs_by_hand(const Expr& tokens, std::int64_t width, std::int64_t layers, std::int64_t mlp) {
  const Expr patches = (tokens - 1) * width * (3 * 16 * 16);
  const Expr layer = tokens * (4 * width * width + 2 * width * mlp) + tokens * tokens * (2 * width);
  return patches + layer * layers + 1000 * width;
}

TEST(Vit, ParametersAreTorchvisions) { EXPECT_EQ(parameters("vit_b_16").text(), "86567656"); }

TEST(Vit, MacsFollowFromItsSizes) {
  EXPECT_EQ(macs("vit_b_16"), macs_by_hand(197, 768, 12, 3072));
  EXPECT_EQ(macs("vit_b_16?resolution=384"), macs_by_hand(577, 768, 12, 3072));
  EXPECT_EQ(macs("vit_b_16?width=192&heads=3&mlp=768&layers=2"), macs_by_hand(197, 192, 2, 768));
}

TEST(Vit, AnOpenBatchMultipliesTheMacs) {
  EXPECT_EQ(macs("vit_b_16?batch=N"), macs("vit_b_16") * Expr::symbol("N"));
  EXPECT_EQ(macs("vit_b_16?batch=3"), macs("vit_b_16") * 3);
}

TEST(Vit, AttentionIsOneLayerWithAllItsProducts) {
  const Network network = built("vit_b_16");
  const Costs costs = count(network.model);
  const Layers layers = find_layers(network.model, costs);
  std::size_t attentions = 0;
  for (const Layer& layer : layers.list) attentions += layer.kind == LayerKind::Attention ? 1 : 0;
  EXPECT_EQ(attentions, 12u);
}

TEST(Vit, RefusesSizesThatDoNotDivide) {
  EXPECT_EQ(build("vit_b_16?patch=15").error().message,
            "zoo:vit_b_16?patch=15: patches of 15 do not divide an image of 224");
  EXPECT_EQ(build("vit_b_16?heads=7").error().message,
            "zoo:vit_b_16?heads=7: 7 heads do not divide a width of 768");
}

}  // namespace
}  // namespace strata::zoo
