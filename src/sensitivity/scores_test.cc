#include "sensitivity/scores.h"

#include <gtest/gtest.h>

#include "strata/sensitivity/sensitivity.h"

namespace strata {
namespace {

std::vector<SampleScore> answers(std::size_t right, std::size_t wrong) {
  std::vector<SampleScore> samples(right + wrong);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].rows = samples[i].labelled = 1;
    samples[i].same = samples[i].right = i < right ? 1 : 0;
  }
  return samples;
}

// Wilson's interval of n right answers out of n begins at 1/(1 + z²/n); z² = 3.841459.
TEST(ValueInterval, AllRightDoesNotMeanThatAllWillBe) {
  for (const Quality quality : {Quality::Top1, Quality::Accuracy}) {
    const auto all = value_interval(quality, answers(8, 0));
    ASSERT_TRUE(all);
    EXPECT_NEAR(all->low, 67.5592, 1e-3);
    EXPECT_NEAR(all->high, 100, 1e-9);
    const auto none = value_interval(quality, answers(0, 100));
    ASSERT_TRUE(none);
    EXPECT_NEAR(none->low, 0, 1e-9);
    EXPECT_NEAR(none->high, 3.6994, 1e-3);
  }
}

TEST(ValueInterval, OtherwiseItIsABootstrap) {
  const auto some = value_interval(Quality::Top1, answers(50, 50));
  ASSERT_TRUE(some);
  EXPECT_NEAR(some->low, 40, 3);  // 50 ± 1.96·sqrt(0.25/100)
  EXPECT_NEAR(some->high, 60, 3);
}

}  // namespace
}  // namespace strata
