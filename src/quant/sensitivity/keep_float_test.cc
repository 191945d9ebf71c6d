#include "strata/sensitivity/keep_float.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::ElementsAre;

// A network whose layers' noises add up.
struct Additive {
  std::vector<double> noises;
  int asked = 0;
  Result<std::vector<SampleScore>> operator()(const std::vector<bool>& keep) {
    ++asked;
    SampleScore score;
    score.signal = 1;
    for (std::size_t l = 0; l < noises.size(); ++l)
      if (!keep[l]) score.noise += noises[l];
    return std::vector{score};
  }
};

AnswerTarget at_least(double sqnr) { return {.min_sqnr = sqnr, .max_drop = std::nullopt}; }

Result<KeptSteps> choose(Additive& network, double sqnr) {
  return choose_kept(network.noises.size(), at_least(sqnr),
                     [&](const std::vector<bool>& keep) { return network(keep); });
}

TEST(KeepFloat, NothingIsKeptWhereAllIsWell) {
  Additive network{{1e-5, 1e-5, 1e-5}};
  const auto kept = choose(network, 40);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->met);
  EXPECT_THAT(kept->kept, ElementsAre(false, false, false));
  EXPECT_EQ(network.asked, 1);
}

TEST(KeepFloat, TheShortestBeginningIsKept) {
  Additive network{{1e-2, 9e-3, 8e-3, 7e-3, 1e-5, 1e-5, 1e-5, 1e-5}};
  const auto kept = choose(network, 40);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->met);
  EXPECT_THAT(kept->kept, ElementsAre(true, true, true, true, false, false, false, false));
}

// A step that is cheap to keep but gains nothing is undone.
TEST(KeepFloat, WhatIsNotNeededIsGivenBack) {
  Additive network{{2e-4, 1e-2, 1e-6, 1e-6}};
  const auto kept = choose(network, 35);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(kept->met);
  EXPECT_THAT(kept->kept, ElementsAre(false, true, false, false));
}

TEST(KeepFloat, ATargetThatCannotBeMetIsSaidSo) {
  Additive network{{1e-2, 1e-2}};
  const auto missed = choose_kept(2, at_least(90), [&](const std::vector<bool>&) {
    return network({false, false});
  });
  ASSERT_TRUE(missed);
  EXPECT_FALSE(missed->met);
  EXPECT_EQ(missed->tried, 3);
  const auto none = choose_kept(0, at_least(90), [&](const std::vector<bool>&) {
    return network({false, false});
  });
  ASSERT_TRUE(none);
  EXPECT_FALSE(none->met);
  EXPECT_EQ(none->tried, 1);
}

using Layers = std::span<const std::size_t>;

// All layers that lose are tried, then the half that loses more.
TEST(KeepFloat, SlowLayersAreGivenUpWhereItPays) {
  std::vector<std::vector<std::size_t>> tried;
  const std::vector<double> lost{0.1, -1, 3, 0, 2, 1, 0.2};
  const auto pays_at = [&](std::size_t most) {
    tried.clear();
    return choose_slow(lost, [&, most](Layers layers) -> Result<bool> {
      tried.emplace_back(layers.begin(), layers.end());
      return layers.size() <= most;
    });
  };
  EXPECT_THAT(pays_at(9).value(), ElementsAre(2, 4, 5, 6, 0));
  EXPECT_EQ(tried.size(), 1u);
  EXPECT_THAT(pays_at(2).value(), ElementsAre(2, 4));
  EXPECT_THAT(pays_at(1).value(), ElementsAre(2));
  EXPECT_THAT(pays_at(0).value(), ElementsAre());
  EXPECT_EQ(tried.size(), 3u);
}

TEST(KeepFloat, WithoutSlowLayersNothingIsTried) {
  const auto none = choose_slow(std::vector<double>{0, -1},
                                [](Layers) -> Result<bool> { return failure("asked"); });
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  const auto failed =
      choose_slow(std::vector<double>{1}, [](Layers) -> Result<bool> { return failure("asked"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "asked");
}

TEST(AnswerTarget, BothLimitsCount) {
  SampleScore score;
  score.signal = 1;
  score.noise = 1e-3;
  score.rows = 10;
  score.same = 9;
  const std::vector<SampleScore> scores{score};
  EXPECT_TRUE((AnswerTarget{29.0, 0.1}.met_by(scores)));
  EXPECT_FALSE((AnswerTarget{31.0, 0.1}.met_by(scores)));
  EXPECT_FALSE((AnswerTarget{29.0, 0.05}.met_by(scores)));
  EXPECT_TRUE((AnswerTarget{}.met_by(scores)));
  EXPECT_EQ((AnswerTarget{29.0, 0.05}.words()), "SQNR 29 dB, another class for at most 5 %");
  EXPECT_EQ((AnswerTarget{29.0, 0.05}.found_in(scores)), "SQNR 30.0 dB, another class for 10.0 %");
  EXPECT_EQ((AnswerTarget{29.0, {}}.found_in(scores)), "SQNR 30.0 dB");
  EXPECT_EQ((AnswerTarget{{}, 0.05}.found_in({})), "no classes to compare");
}

// Some models are good enough and some are not, by about as much as samples vary. Of those that are
// accepted on eight samples, the required share also holds on eight others.
TEST(AnswerTarget, WhatIsTakenWithAMarginHoldsOnOtherSamples) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int taken = 0, taken_failed = 0, plain = 0, plain_failed = 0;
  const AnswerTarget target{.min_sqnr = 20, .max_drop = {}};
  AnswerTarget careful = target;
  careful.others = 8;
  for (int model = 0; model < 4000; ++model) {
    const double level = -20 - 3 * normal(random);
    std::vector<SampleScore> samples(16);
    for (SampleScore& one : samples) {
      one.signal = 1;
      one.noise = std::pow(10, (level + 2 * normal(random)) / 10);
    }
    const std::span<const SampleScore> chosen(samples.data(), 8), others(samples.data() + 8, 8);
    const bool fails = !target.met_by(others);
    if (careful.met_by(chosen)) ++taken, taken_failed += fails ? 1 : 0;
    if (target.met_by(chosen)) ++plain, plain_failed += fails ? 1 : 0;
  }
  EXPECT_GT(taken, 400);
  EXPECT_LT(taken_failed, taken * 0.025);
  EXPECT_GT(plain_failed, plain * 0.05);  // this is why there is a margin
}

TEST(AnswerTarget, OneSampleHasNoMargin) {
  SampleScore one;
  one.signal = 1;
  one.noise = 1e-6;
  EXPECT_TRUE((AnswerTarget{20, {}}.met_by(std::vector{one})));
  EXPECT_FALSE((AnswerTarget{20, {}, 1}.met_by(std::vector{one})));
  one.noise = 0;
  EXPECT_TRUE((AnswerTarget{20, {}, 1}.met_by(std::vector{one})));
}

}  // namespace
}  // namespace strata
