#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/test_samples.h"
#include "strata/calibrate/range.h"

namespace strata {
namespace {

// Computed from the elements themselves, as QuantizeLinear and DequantizeLinear treat them.
struct Powers {
  double signal = 0, noise = 0;
  double db() const { return 10 * std::log10(signal / noise); }
};

Powers direct(std::span<const float> values, const Quantization& numbers) {
  Powers powers;
  const auto lowest = static_cast<float>(numbers.lowest() - numbers.zero_point);
  const auto highest = static_cast<float>(numbers.highest() - numbers.zero_point);
  for (const float value : values) {
    const float number = std::clamp(std::nearbyint(value / numbers.scale), lowest, highest);
    const double lost = double{value} - double{number} * double{numbers.scale};
    powers.signal += double{value} * double{value};
    powers.noise += lost * lost;
  }
  return powers;
}

// Two million elements: with steps much narrower than bins, the error of the elements varies by
// chance by 0.003 dB, which no histogram can know. With sanitizers, which take several times as
// long, a twentieth of them: `make test-all` has all.
TEST(Sqnr, IsWithinAHundredthOfADecibel) {
#ifdef STRATA_SANITIZED
  constexpr std::size_t kElements = 100'000;
  constexpr double kTolerance = 0.03;
#else
  constexpr std::size_t kElements = 2'000'000;
  constexpr double kTolerance = 0.01;
#endif
  for (const Distribution& distribution : distributions()) {
    SCOPED_TRACE(distribution.name);
    const std::vector<float> values = draw(distribution, kElements);
    Sketch sketch;
    ASSERT_TRUE(sketch.add(values));
    const std::vector<SketchBin> bins = sketch.bins();
    double worst = 0;
    for (const RangeChoice choice : {RangeChoice::MinMax, RangeChoice::Percentile})
      for (const int bits : {3, 8, 16})
        for (const bool symmetric : {false, true}) {
          const Scheme scheme = {.bits = bits, .symmetric = symmetric};
          const auto range =
              choose_range(sketch, {.choice = choice, .percentile = 99.9, .scheme = scheme});
          const Quantization numbers = quantization(range.value(), scheme);
          const double exact = direct(values, numbers).db();
          worst = std::max(worst, std::abs(*sqnr_db(bins, numbers) - exact));
          EXPECT_NEAR(*sqnr_db(bins, numbers), exact, kTolerance)
              << bits << name_of(choice) << symmetric;
        }
    RecordProperty(distribution.name, std::to_string(worst));
  }
}

TEST(Sqnr, OfABinIsTheIntegralOverIt) {
  const Quantization numbers = {.scale = 0.5F, .zero_point = 3, .bits = 4, .is_signed = false};
  for (const auto& [low, high] : {std::pair(-4.0, -2.9), std::pair(-1.6, 9.0), std::pair(0.1, 0.2),
                                  std::pair(5.9, 6.3), std::pair(-0.3, 0.9), std::pair(7.0, 7.0)}) {
    constexpr int kParts = 200000;
    double sum = 0;
    for (int i = 0; i < kParts; ++i) {
      const double x = low + (high - low) * (i + 0.5) / kParts;
      sum += std::pow(x - numbers.restored(x), 2);
    }
    const SketchBin bin = {low, high, 17};
    EXPECT_NEAR(noise_power({&bin, 1}, numbers), sum / kParts, 1e-8 + 1e-8 * sum / kParts);
  }
}

TEST(Sqnr, IsInfiniteWhereNothingIsLostAndUnknownOfNothing) {
  const SketchBin exact[] = {{-2, -2, 5}, {0, 0, 100}, {3, 3, 1}};
  EXPECT_EQ(sqnr_db(exact, Quantization{.scale = 1}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(sqnr_db(Sketch(), Quantization{}), std::nullopt);
  EXPECT_NEAR(signal_power(exact), (4 * 5 + 9.0) / 106, 1e-12);
}

// Compares with all pairs of ends out of forty each.
TEST(MseRange, LosesHardlyMoreThanTheBestOfAllRanges) {
  for (const Distribution& distribution : distributions())
    for (const int bits : {4, 8}) {
      SCOPED_TRACE(distribution.name + std::to_string(bits));
      const std::vector<float> values = draw(distribution, 20000);
      Sketch sketch;
      ASSERT_TRUE(sketch.add(values));
      const std::vector<SketchBin> bins = sketch.bins();
      for (const bool symmetric : {false, true}) {
        const Scheme scheme = {.bits = bits, .symmetric = symmetric};
        const Range widest = *choose_range(sketch, {.scheme = scheme});
        double least = std::numeric_limits<double>::infinity();
        constexpr int kParts = 40;
        for (int i = 1; i <= kParts; ++i)
          for (int j = 1; j <= kParts; ++j) {
            if (symmetric && i != j) continue;
            const Range range = {widest.low * static_cast<float>(i) / kParts,
                                 widest.high * static_cast<float>(j) / kParts};
            least = std::min(least, noise_power(bins, quantization(range, scheme)));
            if (widest.low == 0) i = kParts;
          }
        const Range found = *choose_range(sketch, {.choice = RangeChoice::Mse, .scheme = scheme});
        const Quantization numbers = quantization(found, scheme);
        EXPECT_LE(noise_power(bins, numbers), 1.01 * least);
        EXPECT_LE(direct(values, numbers).noise,
                  1.001 * direct(values, quantization(widest, scheme)).noise);
      }
    }
}

}  // namespace
}  // namespace strata
