#include "edit/quantize_values.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace strata {
namespace {

using ::testing::ElementsAre;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(ActivationNumbers, AreUnsignedAndHoldZero) {
  const Quantization q = activation_numbers({-1, 3}, std::nullopt);
  EXPECT_FALSE(q.is_signed);
  EXPECT_FLOAT_EQ(q.scale, 4.0F / 255);
  EXPECT_EQ(q.zero_point, 64);
  EXPECT_THAT(quantized_values(std::vector<float>{-9, -1, 0, 3, 9}, q),
              ElementsAre(0, 0, 64, 255, 255));
}

// ONNX Runtime drops a Clip only if no number, as a float, lies outside it.
RC_GTEST_PROP(ActivationNumbers, EndInsideOfAClip, ()) {
  const float top = static_cast<float>(*rc::gen::inRange(1, 100000)) / 1000;
  const float high = static_cast<float>(*rc::gen::inRange(1, 200000)) / 1000;
  const Quantization q = activation_numbers({-2, high}, Range{0, top});
  RC_ASSERT(q.zero_point == 0);
  RC_ASSERT(255 * q.scale <= top);
  RC_ASSERT(255 * q.scale >= std::min(high, top) * 0.9999F);
}

TEST(ActivationNumbers, OfARelu) {
  const Quantization q = activation_numbers({-2, 5}, Range{0, kInfinity});
  EXPECT_EQ(q.zero_point, 0);
  EXPECT_FLOAT_EQ(q.scale, 5.0F / 255);
}

LayerWeights two_channels() {
  LayerWeights weights;
  weights.dims = {2, 3, 1, 1};
  weights.weight = {0.1F, -0.4F, 1, 0, 0, 0};
  weights.bias = {0.3F, 100};
  return weights;
}

TEST(QuantizedWeights, ByChannel) {
  QuantLayer layer;
  const auto whole = quantized_weights(two_channels(), layer, 8, WeightChoice::MinMax, 0.02);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_THAT(whole->weight, ElementsAre(13, -51, 127, 0, 0, 0));
  EXPECT_FLOAT_EQ(whole->scales[0], 1.0F / 127);
  EXPECT_NEAR(whole->restored[1], -51.0 / 127, 1e-6);
  EXPECT_EQ(whole->bias[0], std::lround(0.3 / (0.02 / 127)));
  // A channel of zeros still has to hold its bias.
  EXPECT_NEAR(whole->bias[1] * static_cast<double>(whole->bias_scales[1]), 100, 1e-3);
}

TEST(QuantizedWeights, OfSevenBits) {
  QuantLayer layer;
  const auto whole = quantized_weights(two_channels(), layer, 7, WeightChoice::MinMax, 0);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_THAT(whole->weight, ElementsAre(6, -25, 63, 0, 0, 0));
  EXPECT_TRUE(whole->bias.empty());
}

// Tiny weights with a large bias: coarser weights are better than a clipped bias.
TEST(QuantizedWeights, ABiasThatWouldNotFit) {
  LayerWeights weights = two_channels();
  weights.weight = {1e-12F, 0, 0, 1, 1, 1};
  weights.bias = {1000, 0};
  QuantLayer layer;
  const auto whole = quantized_weights(weights, layer, 8, WeightChoice::MinMax, 0.01);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_NEAR(whole->bias[0] * static_cast<double>(whole->bias_scales[0]), 1000, 0.01);
}

}  // namespace
}  // namespace strata
