#include "bench/time_plan.h"

#include <vector>

#include <gtest/gtest.h>

namespace strata {
namespace {

// Six runs of two variants in blocks of 2 s take 24 s; of three in blocks of 5 s, 90 s.
TEST(TimePlan, AVariantThatIsTooSlowIsLeftOut) {
  const std::vector<double> seconds = {1, 2, 5};
  EXPECT_EQ(variants_that_fit(seconds, 90), 3u);
  EXPECT_EQ(variants_that_fit(seconds, 89), 2u);
  EXPECT_EQ(variants_that_fit(seconds, 24), 2u);
  EXPECT_EQ(variants_that_fit(seconds, 23), 1u);
  EXPECT_EQ(variants_that_fit(seconds, 5), 0u);
}

// Processes that start in 8 s and rounds of 3 s, in 60 s: five waves of 12 s have one round each,
// which is five runs; four waves of 15 s have two, which is eight.
TEST(TimePlan, WavesAreFewEnoughForSixRuns) {
  const WaveShare share = share_of_wave({60, 8, 3, 1, 5, true});
  EXPECT_DOUBLE_EQ(share.seconds, 15);
  EXPECT_EQ(share.rounds, 2);
  // In 20 s there is no time for two waves: a wave of 20 s has four rounds, and may have six.
  EXPECT_DOUBLE_EQ(share_of_wave({20, 8, 3, 1, 5, true}).seconds, 20);
  EXPECT_EQ(share_of_wave({20, 8, 3, 1, 5, true}).rounds, 6);
}

TEST(TimePlan, FastVariantsHaveAllWaves) {
  const WaveShare share = share_of_wave({60, 1, 0.4, 20, 5, true});
  EXPECT_DOUBLE_EQ(share.seconds, 12);
  EXPECT_EQ(share.rounds, 0);
  // Five waves of one round each are enough if a round has six runs.
  EXPECT_DOUBLE_EQ(share_of_wave({60, 8, 3, 6, 5, true}).seconds, 12);
  // The waves after the first share what is left.
  EXPECT_DOUBLE_EQ(share_of_wave({30, 8, 3, 1, 4, false}).seconds, 15);
}

}  // namespace
}  // namespace strata
