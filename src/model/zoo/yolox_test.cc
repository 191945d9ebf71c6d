#include <gtest/gtest.h>

#include <fmt/format.h>

#include "strata/cost/cost.h"
#include "strata/zoo/zoo.h"

namespace strata::zoo {
namespace {

// The table of the authors' README. Their FLOPs are twice the MACs of thop, which adds norms.
// tests/zoo/sources.csv has the MACs that torch counts.
TEST(Yolox, ParametersAndFlopsArePublished) {
  struct Case {
    std::string_view size;
    double params, flops;  // 10⁶, 10⁹
  };
  constexpr Case kCases[] = {
      {"s", 9.0, 26.8}, {"m", 25.3, 73.8}, {"l", 54.2, 155.6}, {"x", 99.1, 281.9}};
  for (const auto& [size, params, flops] : kCases) {
    const auto network = build(fmt::format("yolox_{}", size));
    ASSERT_TRUE(network) << network.error().message;
    const NodeCost total = count(network->model).total;
    EXPECT_NEAR(static_cast<double>(total.params.number().value_or(0)), params * 1e6, 0.05e6);
    EXPECT_NEAR(2 * static_cast<double>(total.macs.number().value_or(0)), flops * 1e9,
                0.005 * flops * 1e9);
  }
}

// 80² + 40² + 20² positions; a box, whether something is there, and 80 classes.
TEST(Yolox, EveryPositionHasABox) {
  const auto network = build("yolox_s?batch=N");
  ASSERT_TRUE(network) << network.error().message;
  const Graph& graph = network->model.graph();
  EXPECT_EQ(text(graph.tensors[graph.outputs[0]].type->dims), "N×8400×85");
}

TEST(Yolox, RefusesAnImageThatDoesNotDivide) {
  EXPECT_EQ(build("yolox_s?resolution=100").error().message,
            "zoo:yolox_s?resolution=100: an image of 100 is not a multiple of 32");
}

}  // namespace
}  // namespace strata::zoo
