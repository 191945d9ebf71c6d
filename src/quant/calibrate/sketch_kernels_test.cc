#include "calibrate/sketch_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace strata {
namespace {

using ::testing::ElementsAreArray;

// Every magnitude up to 2^7, both signs, and zeros of both signs.
std::vector<float> many_magnitudes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<float> values(count);
  for (float& value : values) {
    const auto any = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = any % 3 == 0 ? any / 3 % 134 : 120 + any / 3 % 14;
    const std::uint32_t bits = exponent << 23 | (static_cast<std::uint32_t>(random()) & 0x807fffff);
    value =
        random() % 4 == 0 ? std::bit_cast<float>(bits & 0x80000000) : std::bit_cast<float>(bits);
  }
  return values;
}

// The definition at the top of sketch_grid.h, in different arithmetic.
std::uint32_t position_by_division(float value, int octave) {
  const double magnitude = std::abs(double{value});
  if (magnitude < std::ldexp(1.0, octave - 3)) return std::bit_cast<std::uint32_t>(value) >> 16;
  const auto step = static_cast<std::uint32_t>(std::floor(std::ldexp(magnitude, 11 - octave)));
  return (value < 0 ? 69632 : 65536) + step;
}

TEST(SketchKernels, PlaceElementsAsTheGridIsDefined) {
  const std::vector<float> values = many_magnitudes(5000);
  std::vector<std::uint32_t> expected;
  float low = 0, high = 0;
  for (const float value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
    if (value != 0) expected.push_back(position_by_division(value, 6));
  }
  const SketchGrid grid(low, high);
  ASSERT_EQ(grid.octave, 6);
  int ran = 0;
  for (const SketchKernel& kernel : sketch_kernels()) {
    if (!kernel.runs_here()) continue;
    SCOPED_TRACE(kernel.name);
    ++ran;
    std::vector<std::uint32_t> positions(values.size() + kPositionSlack);
    const BlockFacts facts = kernel.place(values, grid, positions.data());
    positions.resize(facts.placed);
    EXPECT_THAT(positions, ElementsAreArray(expected));
    EXPECT_EQ(facts.low, low);
    EXPECT_EQ(facts.high, high);
  }
  EXPECT_GE(ran, 1);
}

TEST(SketchKernels, AgreeOnEveryLength) {
  const std::vector<float> values = many_magnitudes(70);
  const SketchGrid grid(-127.9F, 127.9F);
  const SketchKernel& plain = sketch_kernels().back();
  for (const SketchKernel& kernel : sketch_kernels())
    for (std::size_t length = 0; kernel.runs_here() && length <= values.size(); ++length) {
      SCOPED_TRACE(kernel.name + std::to_string(length));
      const auto block = std::span(values).first(length);
      std::vector<std::uint32_t> positions(length + kPositionSlack);
      std::vector<std::uint32_t> expected(length + kPositionSlack);
      const BlockFacts a = kernel.place(block, grid, positions.data());
      const BlockFacts b = plain.place(block, grid, expected.data());
      EXPECT_EQ(a.largest, b.largest);
      EXPECT_EQ(a.smallest, b.smallest);
      EXPECT_EQ(a.low, b.low);
      EXPECT_EQ(a.high, b.high);
      ASSERT_EQ(a.placed, b.placed);
      positions.resize(a.placed);
      expected.resize(b.placed);
      EXPECT_EQ(positions, expected);

      float low = -1, high = 1, plain_low = -1, plain_high = 1;
      kernel.widen(block, low, high);
      plain.widen(block, plain_low, plain_high);
      EXPECT_EQ(low, plain_low);
      EXPECT_EQ(high, plain_high);
      std::vector<float> lows(length, -1), highs(length, 1);
      kernel.widen_each(block, lows.data(), highs.data());
      for (std::size_t i = 0; i < length; ++i) {
        EXPECT_EQ(lows[i], std::min(values[i], -1.0F));
        EXPECT_EQ(highs[i], std::max(values[i], 1.0F));
      }
    }
}

// A channel that has seen nothing has its ends the wrong way round.
TEST(SketchKernels, WidenAnEmptyRange) {
  const std::vector<float> values = many_magnitudes(40);
  for (const SketchKernel& kernel : sketch_kernels())
    for (std::size_t length = 1; kernel.runs_here() && length <= values.size(); ++length) {
      SCOPED_TRACE(kernel.name + std::to_string(length));
      const auto block = std::span(values).first(length);
      float low = HUGE_VALF, high = -HUGE_VALF;
      kernel.widen(block, low, high);
      EXPECT_EQ(low, *std::min_element(block.begin(), block.end()));
      EXPECT_EQ(high, *std::max_element(block.begin(), block.end()));
    }
}

TEST(SketchKernels, TellOfElementsThatAreBeyond) {
  const SketchGrid grid(-1.5F, 1.0F);
  for (const SketchKernel& kernel : sketch_kernels())
    for (std::size_t at = 0; kernel.runs_here() && at < 40; ++at) {
      std::vector<float> values(40, 1.0F);
      std::vector<std::uint32_t> positions(values.size() + kPositionSlack);
      EXPECT_LT(kernel.place(values, grid, positions.data()).largest, grid.end_bits);
      for (const float beyond : {2.0F, -3.0F, HUGE_VALF, -HUGE_VALF, std::nanf("")}) {
        values[at] = beyond;
        EXPECT_EQ(kernel.place(values, grid, positions.data()).largest,
                  std::bit_cast<std::uint32_t>(beyond) & 0x7fffffff);
      }
    }
}

}  // namespace
}  // namespace strata
