// The definition at the top of entropy.cc, computed directly from the elements: no sketch, no
// running sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibrate/test_samples.h"
#include "strata/calibrate/range.h"

namespace strata {
namespace {

struct Threshold {
  std::size_t bins = 0;  // bins that are kept
  double width = 0;
};

double divergence(const std::vector<double>& histogram, std::size_t kept, std::size_t levels) {
  std::vector<double> p(histogram.begin(), histogram.begin() + static_cast<std::ptrdiff_t>(kept));
  for (std::size_t j = kept; j < histogram.size(); ++j) p.back() += histogram[j];
  std::vector<double> q(kept);
  for (std::size_t k = 0; k < levels; ++k) {
    const std::size_t first = k * kept / levels, end = (k + 1) * kept / levels;
    double sum = 0, occupied = 0;
    for (std::size_t j = first; j < end; ++j) {
      sum += histogram[j];
      if (p[j] != 0) ++occupied;
    }
    for (std::size_t j = first; j < end; ++j)
      if (p[j] != 0) q[j] = sum / occupied;
  }
  double all_p = 0, all_q = 0, total = 0;
  for (std::size_t j = 0; j < kept; ++j) {
    all_p += p[j];
    all_q += q[j];
  }
  for (std::size_t j = 0; j < kept; ++j) {
    if (p[j] == 0) continue;
    if (q[j] == 0) return std::numeric_limits<double>::infinity();
    total += p[j] / all_p * std::log((p[j] / all_p) / (q[j] / all_q));
  }
  return total;
}

Threshold direct(std::span<const float> values, std::size_t levels) {
  double largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(double{value}));
  double width = 1;
  while (largest / width >= 4096) width *= 2;
  while (largest / width < 2048) width /= 2;
  std::vector<double> histogram(static_cast<std::size_t>(largest / width) + 1);
  for (const float value : values)
    if (value != 0) ++histogram[static_cast<std::size_t>(std::abs(double{value}) / width)];
  Threshold best = {histogram.size(), width};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t kept = levels; kept <= histogram.size(); ++kept)
    if (const double found = divergence(histogram, kept, levels); found < least) {
      least = found;
      best.bins = kept;
    }
  return best;
}

TEST(EntropyRange, EqualsTheDirectComputationOnTheElements) {
  for (const Distribution& distribution : distributions())
    for (const int bits : {8, 4}) {
      if (bits == 4 && distribution.name != "normal") continue;  // takes a while
      SCOPED_TRACE(distribution.name + std::to_string(bits));
      const std::vector<float> values = draw(distribution, 40000);
      Sketch sketch;
      ASSERT_TRUE(sketch.add(values));
      const double largest = std::max(-*sketch.min(), *sketch.max());
      const Scheme symmetric = {.bits = bits, .symmetric = true};
      const auto range =
          choose_range(sketch, {.choice = RangeChoice::Entropy, .scheme = symmetric});
      const Threshold expected = direct(values, std::size_t{1} << (bits - 1));
      const double side = std::min(static_cast<double>(expected.bins) * expected.width, largest);
      EXPECT_EQ(range->high, static_cast<float>(side));
      EXPECT_EQ(range->low, -range->high);

      // All elements have one sign, and all numbers are used for it.
      if (*sketch.min() < 0) continue;
      const Scheme scheme = {.bits = bits};
      const Threshold finer = direct(values, std::size_t{1} << bits);
      const auto above = choose_range(sketch, {.choice = RangeChoice::Entropy, .scheme = scheme});
      EXPECT_EQ(above->low, 0);
      EXPECT_EQ(above->high, static_cast<float>(
                                 std::min(static_cast<double>(finer.bins) * finer.width, largest)));
    }
}

// This is what the method is for: a few outliers do not stretch the range.
TEST(EntropyRange, LeavesOutliersOut) {
  std::vector<float> values = draw(distributions()[0], 200000);
  values[1000] = 100;
  Sketch sketch;
  ASSERT_TRUE(sketch.add(values));
  const Range range = *choose_range(sketch, {.choice = RangeChoice::Entropy});
  EXPECT_LT(range.high, 15);
  EXPECT_GT(range.high, 2);
  EXPECT_LT(range.low, -2);
}

TEST(EntropyRange, OfManyBitsCutsNothing) {
  Sketch sketch;
  ASSERT_TRUE(sketch.add(draw(distributions()[0], 1000)));
  const Scheme wide = {.bits = 16, .symmetric = true};
  const RangeOptions options = {.choice = RangeChoice::Entropy, .scheme = wide};
  EXPECT_EQ(choose_range(sketch, options)->high, std::max(-*sketch.min(), *sketch.max()));
}

}  // namespace
}  // namespace strata
