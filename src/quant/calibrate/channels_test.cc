#include "calibrate/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/test_samples.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatEq;

TEST(ChannelLayout, IsThreePartsOfTheDims) {
  const std::vector<std::int64_t> dims = {2, 3, 4, 5};
  const auto layout = channel_layout(dims, 1);
  EXPECT_EQ(layout->outer, 2);
  EXPECT_EQ(layout->channels, 3);
  EXPECT_EQ(layout->inner, 20);
  EXPECT_EQ(channel_layout(dims, -1)->outer, 24);
  EXPECT_EQ(channel_layout(dims, 4).error().message, "axis 4 is not one of a tensor with 4 axes");
  EXPECT_FALSE(channel_layout(std::vector<std::int64_t>{4, -1}, 0));
  EXPECT_FALSE(channel_layout(std::vector<std::int64_t>{1LL << 40, 1LL << 40, 3}, 2));
}

TEST(WeightScales, AreTheLargestOfEachChannel) {
  const std::vector<float> weights = {1, -2, 3, 4, 0, 0, 5, 12.7F, -8, 6, 0, 0};
  EXPECT_THAT(weight_scales(weights, {1, 6, 2}).value(),
              ElementsAre(FloatEq(2 / 127.F), FloatEq(4 / 127.F), FloatEq(2 / 127.F), FloatEq(0.1F),
                          FloatEq(8 / 127.F), FloatEq(2 / 127.F)));
  EXPECT_THAT(weight_scales(weights, {2, 3, 2}, 4).value(),
              ElementsAre(FloatEq(12.7F / 7), FloatEq(8 / 7.F), FloatEq(8 / 7.F)));
  EXPECT_THAT(weight_scales(std::vector<float>(4), {1, 2, 2}).value(), ElementsAre(1, 1));
  EXPECT_THAT(weight_scales({}, {0, 2, 2}).value(), ElementsAre(1, 1));
}

TEST(WeightScales, WithTheLeastErrorLoseNoMoreThanTheLargest) {
  for (const int bits : {4, 8}) {
    std::vector<float> weights = draw(distributions()[1], 8 * 576);
    const ChannelLayout layout = {1, 8, 576};
    const auto widest = weight_scales(weights, layout, bits);
    const auto best = weight_scales(weights, layout, bits, WeightChoice::Mse);
    ASSERT_TRUE(widest && best);
    for (std::size_t channel = 0; channel < 8; ++channel) {
      const auto lost = [&](float scale) {
        const Quantization numbers = {.scale = scale, .bits = bits};
        double sum = 0;
        for (std::size_t i = channel * 576; i < (channel + 1) * 576; ++i)
          sum += std::pow(weights[i] - numbers.restored(weights[i]), 2);
        return sum;
      };
      double least = lost((*widest)[channel]);
      for (int i = 30; i < 100; ++i)
        least = std::min(least, lost((*widest)[channel] * static_cast<float>(i) / 100));
      EXPECT_LE(lost((*best)[channel]), 1.02 * least);
      EXPECT_TRUE(bits != 4 || (*best)[channel] < (*widest)[channel]);
    }
  }
}

TEST(WeightScales, RefuseWhatTheyCannotHold) {
  const std::vector<float> weights = {1, 2, std::nanf(""), 4};
  EXPECT_EQ(weight_scales(weights, {1, 2, 2}).error().message,
            "channel 1 of the weights has an element that is infinite or not a number; such "
            "weights cannot be quantized");
  EXPECT_EQ(weight_scales(weights, {1, 3, 2}).error().message, "4 weights are not 1 × 3 × 2");
  EXPECT_FALSE(weight_scales(weights, {1, 2, 2}, 1));
}

TEST(ChannelRanges, HoldZero) {
  Sketch sketch({.channels = 3});
  ASSERT_TRUE(sketch.add(std::vector<float>{1, -4, HUGE_VALF, 3, -2, HUGE_VALF}));
  EXPECT_THAT(channel_ranges(sketch, false), ElementsAre(Range{0, 3}, Range{-4, 0}, Range{0, 0}));
  EXPECT_THAT(channel_ranges(sketch, true), ElementsAre(Range{-3, 3}, Range{-4, 4}, Range{0, 0}));
  EXPECT_TRUE(channel_ranges(Sketch(), true).empty());
}

}  // namespace
}  // namespace strata
