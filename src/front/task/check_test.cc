#include "strata/task/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace strata {
namespace {

std::string model(const char* name) {
  return std::string(STRATA_SOURCE_DIR "/tests/models/") + name;
}

// torchvision's documentation has 11,689,512 parameters for resnet18.
TEST(CheckTask, AModelAndItsBudgets) {
  const auto outcome = run_check({.model = {.source = model("resnet18.onnx")},
                                  .budget = "params=11689512,params=11689511,no:Conv,no:Loop"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::vector<budget::Verdict> verdicts;
  for (const budget::Judged& one : outcome->outcome.judged) verdicts.push_back(one.verdict);
  EXPECT_THAT(verdicts, testing::ElementsAre(budget::Verdict::Within, budget::Verdict::Over,
                                             budget::Verdict::Over, budget::Verdict::Within));
}

TEST(CheckTask, GrowthFromABaseline) {
  const CheckRequest request{.model = {.source = model("resnet50.onnx")},
                             .budget = STRATA_SOURCE_DIR "/tests/cli/models/growth.toml",
                             .baseline = model("resnet18.onnx")};
  const auto outcome = run_check(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  // 25,557,032 of 11,689,512 is +118.63 %.
  ASSERT_EQ(outcome->outcome.judged.size(), 2u);
  EXPECT_EQ(outcome->outcome.judged[0].verdict, budget::Verdict::Over);
  EXPECT_NEAR(*outcome->outcome.judged[0].allowed, 11689512 * 2.18, 1);
}

// No inference takes an hour, and none takes no time at all.
TEST(CheckTask, ALatencyIsMeasuredIfAsked) {
  CheckRequest request{.model = {.source = "zoo:squeezenet1_1?resolution=64"},
                       .budget = "latency=1h,latency=0"};
  const auto counted = run_check(request);
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(counted->outcome.judged[0].verdict, budget::Verdict::Unknown);
  request.time.emplace();
  request.time->engine = {.engine = "fake", .threads = 1};
  request.time->runs = 20;
  const auto timed = run_check(request);
  ASSERT_TRUE(timed) << timed.error().message;
  EXPECT_EQ(timed->outcome.judged[0].verdict, budget::Verdict::Within);
  EXPECT_EQ(timed->outcome.judged[1].verdict, budget::Verdict::Over);
  request.model.source = STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/profile.json";
  const auto saved = run_check(request);
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, testing::HasSubstr("cannot be run"));
}

TEST(CheckTask, Mistakes) {
  EXPECT_FALSE(run_check({.model = {.source = "nothing.onnx"}, .budget = "macs=5"}));
  EXPECT_FALSE(run_check({.model = {.source = model("resnet18.onnx")}, .budget = "macs"}));
  EXPECT_FALSE(run_check({.model = {.source = model("resnet18.onnx")}, .budget = "nothing.toml"}));
}

}  // namespace
}  // namespace strata
