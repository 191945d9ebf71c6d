#include "strata/calibrate/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/test_samples.h"

namespace strata {
namespace {

Sketch sketch_of(std::span<const float> values) {
  Sketch sketch;
  EXPECT_TRUE(sketch.add(values));
  return sketch;
}

constexpr RangeChoice kChoices[] = {RangeChoice::MinMax, RangeChoice::Percentile,
                                    RangeChoice::Entropy, RangeChoice::Mse};

TEST(Quantile, IsWithinFourPerMilleOfTheElement) {
  for (const Distribution& distribution : distributions()) {
    SCOPED_TRACE(distribution.name);
    std::vector<float> values = draw(distribution, 200001);
    const Sketch sketch = sketch_of(values);
    const std::vector<SketchBin> bins = sketch.bins();
    std::sort(values.begin(), values.end());
    const auto count = static_cast<double>(values.size());
    double worst = 0;
    for (int i = 0; i <= 10000; ++i) {
      const double q = i / 10000.0;
      const auto rank = static_cast<std::size_t>(std::max(std::ceil(q * count), 1.0));
      const double exact = values[rank - 1], found = *quantile(bins, q);
      if (exact == 0)
        EXPECT_EQ(found, 0);
      else
        worst = std::max(worst, std::abs(found / exact - 1));
    }
    RecordProperty(distribution.name, std::to_string(worst));
    EXPECT_LE(worst, 0.004);
    EXPECT_EQ(quantile(sketch, 0), values.front());
    EXPECT_EQ(quantile(sketch, 1), values.back());

    for (float& value : values) value = std::abs(value);
    std::sort(values.begin(), values.end());
    for (const double q : {0.1, 0.5, 0.9, 0.999, 0.9999}) {
      const double exact = values[static_cast<std::size_t>(std::ceil(q * count)) - 1];
      EXPECT_NEAR(*magnitude_quantile(sketch, q), exact, 0.004 * exact);
    }
  }
}

TEST(Quantile, OfNothingIsNothing) { EXPECT_EQ(quantile(Sketch(), 0.5), std::nullopt); }

TEST(Quantization, KeepsZeroAndBothEnds) {
  for (const Range range : {Range{-1, 3}, Range{0, 6}, Range{-0.001F, 1000}, Range{-7, 0},
                            Range{-1e-30F, 1e-30F}, Range{-3e38F, 3e38F}})
    for (const int bits : {2, 4, 8, 16})
      for (const Scheme scheme :
           {Scheme{bits, true, true}, Scheme{bits, false, true}, Scheme{bits, false, false}}) {
        const Quantization numbers = quantization(range, scheme);
        EXPECT_EQ(numbers.restored(0), 0);
        EXPECT_LE(numbers.lowest(), numbers.zero_point);
        EXPECT_GE(numbers.highest(), numbers.zero_point);
        // Half a step from rounding, and half from the zero point being a whole number.
        for (const double end : {range.low, range.high})
          EXPECT_NEAR(numbers.restored(end), end, 1.001 * numbers.scale);
        EXPECT_TRUE(!scheme.symmetric || numbers.zero_point == 0);
      }
}

TEST(Quantization, HasTheUsualNumbers) {
  const Quantization symmetric = quantization({-2.54F, 1}, {.symmetric = true});
  EXPECT_FLOAT_EQ(symmetric.scale, 0.02F);
  EXPECT_EQ(symmetric.zero_point, 0);
  EXPECT_EQ(symmetric.highest(), 127);
  const Quantization byte = quantization({-1, 4.1F}, {.is_signed = false});
  EXPECT_FLOAT_EQ(byte.scale, 0.02F);
  EXPECT_EQ(byte.zero_point, 50);
  EXPECT_EQ(quantization({-1, 4.1F}).zero_point, -78);
  // Ends that do not hold zero are moved to it.
  EXPECT_EQ(quantization({2, 4}), quantization({0, 4}));
}

TEST(Quantization, OfZerosAndOfAlmostNothingHasAUsefulScale) {
  EXPECT_EQ(quantization({0, 0}).scale, 1);
  EXPECT_EQ(quantization({0, 1e-44F}).scale, std::numeric_limits<float>::min());
}

TEST(ChooseRange, ConstantTensorsAreExact) {
  for (const float value : {3.7F, -1e-6F, 1e30F, 0.0F})
    for (const RangeChoice choice : kChoices)
      for (const bool symmetric : {false, true}) {
        SCOPED_TRACE(name_of(choice));
        const Sketch sketch = sketch_of(std::vector<float>(1000, value));
        const Scheme scheme = {.symmetric = symmetric};
        const auto range = choose_range(sketch, {.choice = choice, .scheme = scheme});
        ASSERT_TRUE(range);
        const Quantization numbers = quantization(*range, scheme);
        EXPECT_NEAR(numbers.restored(value), value, 1e-6 * std::abs(value));
        if (value == 0) {
          EXPECT_EQ(*range, Range());
          EXPECT_EQ(sqnr_db(sketch, numbers), std::nullopt);
        } else {
          EXPECT_GT(*sqnr_db(sketch, numbers), 100);
        }
      }
}

TEST(ChooseRange, HoldsZeroAndStaysInsideTheData) {
  for (const Distribution& distribution : distributions()) {
    SCOPED_TRACE(distribution.name);
    const std::vector<float> values = draw(distribution, 20000);
    const Sketch sketch = sketch_of(values);
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const float low = std::min(*least, 0.0F), high = std::max(*most, 0.0F);
    for (const RangeChoice choice : kChoices) {
      SCOPED_TRACE(name_of(choice));
      const Range range = *choose_range(sketch, {.choice = choice});
      EXPECT_LE(low, range.low);
      EXPECT_LE(range.low, 0);
      EXPECT_GE(high, range.high);
      EXPECT_GT(range.high, 0);
      const Scheme symmetric = {.symmetric = true};
      const Range even = *choose_range(sketch, {.choice = choice, .scheme = symmetric});
      EXPECT_EQ(even.low, -even.high);
      EXPECT_LE(even.high, std::max(-low, high));
      if (choice == RangeChoice::MinMax) {
        EXPECT_EQ(range, (Range{low, high}));
        EXPECT_EQ(even.high, std::max(-low, high));
      }
    }
  }
}

TEST(ChooseRange, PercentileCutsBothEnds) {
  std::vector<float> values;
  for (int i = -1000; i <= 3000; ++i) values.push_back(static_cast<float>(i));
  const Sketch sketch = sketch_of(values);
  RangeOptions options = {.choice = RangeChoice::Percentile, .percentile = 90};
  const Range range = *choose_range(sketch, options);
  EXPECT_NEAR(range.low, -800, 4);
  EXPECT_NEAR(range.high, 2800, 12);
  options.scheme.symmetric = true;
  EXPECT_NEAR(choose_range(sketch, options)->high, 2600, 11);
  options.percentile = 100;
  EXPECT_EQ(choose_range(sketch, options)->high, 3000);
}

TEST(ChooseRange, SaysWhyThereIsNone) {
  EXPECT_EQ(choose_range(Sketch()).error().message,
            "no element has been seen; a range needs at least one");
  EXPECT_EQ(choose_range(sketch_of(std::vector<float>{HUGE_VALF})).error().message,
            "all elements are infinite or not a number; a range needs finite ones");
  const Sketch sketch = sketch_of(std::vector<float>{1});
  EXPECT_EQ(choose_range(sketch, {.percentile = 50}).error().kind, ErrorKind::Usage);
  EXPECT_EQ(choose_range(sketch, {.scheme = {.bits = 1}}).error().message,
            "1 bits: numbers of 2 to 16 bits can be chosen");
}

TEST(RangeChoice, NamesComeBack) {
  for (const RangeChoice choice : kChoices)
    EXPECT_EQ(range_choice_from_name(name_of(choice)), choice);
  EXPECT_EQ(range_choice_from_name("best"), std::nullopt);
}

}  // namespace
}  // namespace strata
