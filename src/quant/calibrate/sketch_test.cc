#include "strata/calibrate/sketch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/half.h"
#include "calibrate/sketch_state.h"
#include "calibrate/test_samples.h"

namespace strata {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

Sketch sketch_of(std::span<const float> values, SketchOptions options = {},
                 std::int64_t inner = 1) {
  Sketch sketch(options);
  EXPECT_TRUE(sketch.add(values, inner));
  return sketch;
}

// Elements of every kind: random bits, one octave, a few distinct numbers.
std::vector<float> anything(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto kind = random() % 4;
  const auto exponent = static_cast<std::uint32_t>(random() % 255) << 23;
  std::vector<float> values(count);
  for (float& value : values) {
    auto bits = static_cast<std::uint32_t>(random());
    if (kind == 1) bits = exponent | (bits & 0x807fffff);
    if (kind == 2) bits = exponent | (bits & 0x80780000);
    if (kind == 3) bits = bits % 5 == 0 ? bits : 0;
    value = std::bit_cast<float>(bits);
  }
  return values;
}

TEST(Sketch, KeepsCountsApart) {
  const Sketch sketch =
      sketch_of(std::vector<float>{0.0F, -0.0F, 1, -2.5F, 1e-42F, kInf, -kInf, -kInf, kNan, 3e38F});
  EXPECT_EQ(sketch.count(), 10u);
  EXPECT_EQ(sketch.finite(), 6u);
  EXPECT_EQ(sketch.zeros(), 2u);
  EXPECT_EQ(sketch.nans(), 1u);
  EXPECT_EQ(sketch.infinities(), 3u);
  EXPECT_EQ(sketch.parts().negative_infinities, 2u);
  EXPECT_EQ(sketch.min(), -2.5F);
  EXPECT_EQ(sketch.max(), 3e38F);
}

TEST(Sketch, HasNoEndsWithoutFiniteElements) {
  EXPECT_EQ(Sketch().min(), std::nullopt);
  EXPECT_TRUE(Sketch().bins().empty());
  const Sketch sketch = sketch_of(std::vector<float>{kNan, kInf});
  EXPECT_EQ(sketch.max(), std::nullopt);
  EXPECT_TRUE(sketch.bins().empty());
}

TEST(Sketch, BinsAreAscendingAndHoldEveryElement) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::vector<float> values = anything(3000, seed);
    const std::vector<SketchBin> bins = sketch_of(values).bins();
    std::erase_if(values, [](float value) { return !std::isfinite(value); });
    std::sort(values.begin(), values.end());
    auto next = values.begin();
    double before = -std::numeric_limits<double>::infinity();
    for (const SketchBin& bin : bins) {
      EXPECT_LE(before, bin.low);
      EXPECT_LE(bin.low, bin.high);
      before = bin.high;
      for (std::uint64_t i = 0; i < bin.count; ++i, ++next) {
        ASSERT_NE(next, values.end());
        EXPECT_LE(bin.low, *next);
        EXPECT_GE(bin.high, *next);
      }
      const double magnitude = std::min(std::abs(bin.low), std::abs(bin.high));
      if (magnitude >= std::numeric_limits<float>::min()) {
        EXPECT_LE(bin.high - bin.low, magnitude / 128);
      }
    }
    EXPECT_EQ(next, values.end());
  }
}

TEST(Sketch, MergeIsAssociativeCommutativeAndEqualToOnePass) {
  EXPECT_TRUE(rc::check([] {
    std::vector<float> parts[3], all;
    for (auto& part : parts) {
      part = anything(*rc::gen::inRange<std::size_t>(0, 400), *rc::gen::arbitrary<std::uint64_t>());
      all.insert(all.end(), part.begin(), part.end());
    }
    const Sketch a = sketch_of(parts[0]), b = sketch_of(parts[1]), c = sketch_of(parts[2]);
    const auto sum = [](Sketch left, const Sketch& right) {
      RC_ASSERT(left.merge(right).has_value());
      return left;
    };
    RC_ASSERT(sum(a, b) == sum(b, a));
    RC_ASSERT(sum(sum(a, b), c) == sum(a, sum(b, c)));
    RC_ASSERT(sum(sum(a, b), c) == sketch_of(all));
    std::reverse(all.begin(), all.end());
    RC_ASSERT(sum(sum(c, a), b) == sketch_of(all));
  }));
}

TEST(Sketch, TellsDifferentDataApart) {
  const std::vector<float> values = anything(100, 1);
  std::vector<float> others = values;
  others[50] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(others[50]) ^ 0x80000000);
  EXPECT_EQ(sketch_of(values), sketch_of(values));
  EXPECT_NE(sketch_of(values), sketch_of(others));
}

TEST(Sketch, CountsBeyond32Bits) {
  Sketch sketch = sketch_of(std::vector<float>{1, 1, 1, -5, 0});
  for (int doublings = 0; doublings < 40; ++doublings) ASSERT_TRUE(sketch.merge(sketch));
  EXPECT_EQ(sketch.count(), std::uint64_t{5} << 40);
  ASSERT_EQ(sketch.bins().size(), 3u);
  EXPECT_EQ(sketch.bins()[2].count, std::uint64_t{3} << 40);
  // The largest grows, and the counts move to coarser bins.
  ASSERT_TRUE(sketch.add(std::vector<float>{1e6F}));
  EXPECT_EQ(sketch.bins()[2].count, std::uint64_t{3} << 40);
  for (int doublings = 0; doublings < 19; ++doublings) ASSERT_TRUE(sketch.merge(sketch));
  const Sketch before = sketch;
  EXPECT_FALSE(sketch.merge(sketch));
  EXPECT_EQ(sketch, before);
}

TEST(PagedCounters, CarryFromWholePages) {
  std::vector<std::uint32_t> page(PagedCounters::kPageSize);
  page[3] = 0xffffffff;
  page[4] = 1;
  PagedCounters counters;
  const auto whole = std::span<const std::uint32_t, PagedCounters::kPageSize>(page);
  for (int i = 0; i < 3; ++i) counters.add_page(2, whole);
  EXPECT_EQ(counters.at(2 * 128 + 3), 3 * std::uint64_t{0xffffffff});
  EXPECT_EQ(counters.at(2 * 128 + 4), 3u);
  counters.clear_page(2);
  EXPECT_EQ(counters, PagedCounters());
}

TEST(Sketch, MemoryDoesNotGrowWithElements) {
  std::mt19937 random(3);
  Sketch sketch;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(sketch.add(anything(20000, random())));
  EXPECT_LE(sketch.heap_bytes(), 512 * 1024u);
  const auto typical = draw(distributions()[0], 1000000);
  EXPECT_LE(sketch_of(typical).heap_bytes(), 80 * 1024u);
}

TEST(Sketch, ChannelsHaveTheirOwnEnds) {
  // 2 × 3 × 2
  const std::vector<float> values = {1, 2, 3, -4, 5, 6, 7, 8, 9, 10, kNan, 12};
  const Sketch sketch = sketch_of(values, {.channels = 3}, 2);
  EXPECT_THAT(sketch.parts().channel_min, testing::ElementsAre(1, -4, 5));
  EXPECT_THAT(sketch.parts().channel_max, testing::ElementsAre(8, 10, 12));
  const Sketch last = sketch_of(values, {.channels = 3}, 1);
  EXPECT_THAT(last.parts().channel_min, testing::ElementsAre(-4, 2, 3));
  EXPECT_THAT(last.parts().channel_max, testing::ElementsAre(10, 8, 12));
}

TEST(Sketch, ChannelsOfManySizes) {
  std::mt19937 random(5);
  for (const auto& [channels, inner] :
       {std::pair(7, 1), std::pair(64, 1), std::pair(3, 49), std::pair(2, 5000), std::pair(5000, 1),
        std::pair(100, 3)}) {
    std::vector<float> values(static_cast<std::size_t>(channels * inner) * 3);
    for (float& value : values) value = static_cast<float>(random() % 100000) - 50000;
    const auto length = static_cast<std::size_t>(inner),
               number = static_cast<std::size_t>(channels);
    const auto of = [&](std::size_t i) { return i / length % number; };
    std::vector<float> low(number, kInf), high(number, -kInf);
    for (std::size_t i = 0; i < values.size(); ++i) {
      low[of(i)] = std::min(low[of(i)], values[i]);
      high[of(i)] = std::max(high[of(i)], values[i]);
    }
    const Sketch sketch = sketch_of(values, {.channels = channels}, inner);
    EXPECT_EQ(sketch.parts().channel_min, low);
    EXPECT_EQ(sketch.parts().channel_max, high);
    Sketch twice = sketch;
    ASSERT_TRUE(twice.merge(sketch));
    EXPECT_EQ(twice.parts().channel_max, high);
  }
}

TEST(Sketch, ReadsOtherTypes) {
  const std::vector<float> values = {0, 1, -2, 0.5F, 1.5e-7F, kInf, -65504, kNan};
  std::vector<std::uint16_t> halves, brains;
  std::vector<double> doubles;
  for (const float value : values) {
    halves.push_back(half_bits(value));
    brains.push_back(bfloat_bits(value));
    doubles.push_back(value);
  }
  const auto as = [](DType type, std::span<const std::byte> bytes) {
    Sketch sketch;
    EXPECT_TRUE(sketch.add(type, bytes));
    return sketch;
  };
  EXPECT_EQ(as(DType::F64, std::as_bytes(std::span(doubles))), sketch_of(values));
  const Sketch half = as(DType::F16, std::as_bytes(std::span(halves)));
  EXPECT_EQ(half.min(), -65504.0F);
  EXPECT_EQ(half.max(), 1.0F);
  EXPECT_EQ(half.bins()[2].low, 0);
  EXPECT_NEAR(half.bins()[3].low, 3 * 0x1p-24, 1e-9);  // subnormal in 16 bits
  EXPECT_EQ(half.nans() + half.infinities(), 2u);
  const Sketch brain = as(DType::BF16, std::as_bytes(std::span(brains)));
  EXPECT_EQ(brain.min(), -65536.0F);
  EXPECT_EQ(brain.finite(), 6u);
  // Not aligned.
  std::vector<std::byte> shifted(values.size() * 4 + 1);
  std::memcpy(shifted.data() + 1, values.data(), values.size() * 4);
  EXPECT_EQ(as(DType::F32, std::span(shifted).subspan(1)), sketch_of(values));
}

TEST(Sketch, RefusesWhatItCannotCount) {
  Sketch sketch({.channels = 3});
  const std::vector<float> values(8);
  EXPECT_EQ(sketch.add(values, 2).error().message,
            "8 elements are not divided by 3 channels of 2 elements");
  EXPECT_EQ(sketch.add(values, 0).error().message,
            "8 elements are not divided by 3 channels of 0 elements");
  EXPECT_FALSE(sketch.add(values, std::numeric_limits<std::int64_t>::max()));
  const auto bytes = std::as_bytes(std::span(values));
  EXPECT_EQ(sketch.add(DType::I8, bytes).error().message,
            "a sketch counts f32, f16, bf16 and f64, and the elements are i8; "
            "leave this tensor out");
  EXPECT_FALSE(Sketch().add(DType::F32, bytes.first(5)));
  EXPECT_EQ(sketch.merge(Sketch()).error().message,
            "a sketch of 3 channels and one of 0 cannot be merged");
  EXPECT_EQ(sketch, Sketch({.channels = 3}));
}

TEST(Sketch, RefusesPartsThatNoDataHas) {
  const SketchParts good = sketch_of(std::vector<float>{-1, 0, 3, 900}, {.channels = 2}).parts();
  ASSERT_TRUE(Sketch::from_parts(good));
  const auto refused = [&](const auto& change) {
    SketchParts parts = good;
    change(parts);
    return !Sketch::from_parts(parts).has_value();
  };
  EXPECT_TRUE(refused([](SketchParts& p) { p.max = 899; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.max = p.channel_max[1] = 901; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.max = kInf; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.min = kNan; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.min = 1; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters = {}; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(0x7f80, 1); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(0x7fff, 1); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(65536 + 255, 1); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(65536 + 4095, 1); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(0x4461, 1); }));  // 900, coarse
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(0xc000, 1); }));  // -2
  EXPECT_TRUE(refused([](SketchParts& p) { p.counters.add(1, std::uint64_t{1} << 62); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.nans = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.channel_max.pop_back(); }));
  EXPECT_TRUE(refused([](SketchParts& p) { p.channel_min[0] = 5; }));
}

}  // namespace
}  // namespace strata
