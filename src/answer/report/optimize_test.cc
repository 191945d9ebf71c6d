#include "strata/report/optimize.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// One thread is the base, two are faster.
OptimizedModel optimized(SpeedUp gain, SpeedUp check) {
  OptimizedModel out{"m.onnx", "fast.onnx", "strata bench fast.onnx", 30, {}, check};
  for (const int threads : {1, 2, 4}) {
    VariantResult& own = out.last.variants.emplace_back();
    own.variant.engine = "fake";
    own.variant.session.threads = threads;
    own.processes.emplace_back().blocks = {{0.01, 0.01, 0.01}};
  }
  out.last.speed_ups = {SpeedUp{.interval = {1, 1}}, gain, SpeedUp{.interval = {1, 1}}};
  out.last.base = 0;
  out.last.winner = 1;
  return out;
}

TEST(OptimizeReport, WhatIsKnownWellIsNotDoubted) {
  const OptimizedModel sure =
      optimized({.median = 1.5, .interval = {1.49, 1.51}}, {.median = 1, .interval = {0.99, 1.01}});
  EXPECT_THAT(optimize_doubts(sure), IsEmpty());
  EXPECT_THAT(optimize_text(sure), Not(HasSubstr("Not sure")));
  EXPECT_THAT(optimize_text(sure), HasSubstr("1.50× [1.49, 1.51] over fake\n"));
}

TEST(OptimizeReport, WideIntervalsAreSaidInWordsWithAWayOut) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  OptimizedModel unsure =
      optimized({.median = 1.1, .interval = {0.8, 1.4}}, {.median = 1, .interval = {0, kOpen}});
  unsure.last.indistinct = {0, 2};
  EXPECT_THAT(optimize_doubts(unsure),
              ElementsAre("it may be no faster than fake", "as fast may be fake 4 threads",
                          "the time was too short to check the file"));
  EXPECT_THAT(
      optimize_text(unsure, "--budget"),
      HasSubstr("  Not sure: it may be no faster than fake; as fast may be fake 4 threads; "
                "the time was too short to check the file; --budget 2min would say more\n"));
  EXPECT_THAT(optimize_text(unsure),
              HasSubstr("against the measured variant: not known: the time was too short\n"));

  const OptimizedModel wide =
      optimized({.median = 2, .interval = {1.6, 2.4}}, {.median = 1, .interval = {0.9, 1.1}});
  EXPECT_THAT(optimize_doubts(wide),
              ElementsAre("the speedup is known to ±20 %",
                          "the speed of the written file is known to ±10 %"));
  const auto receipt = nlohmann::json::parse(optimize_receipt(unsure, {}));
  EXPECT_EQ(receipt["facts"]["not_sure"].size(), 3u);
  EXPECT_EQ(receipt["facts"]["written_against_measured"][1], "inf");
}

TEST(OptimizeReport, AModelIsNotFasterThanItself) {
  OptimizedModel same =
      optimized({.median = 1.5, .interval = {1.49, 1.51}}, {.median = 1, .interval = {0.99, 1.01}});
  same.last.winner = same.last.base;
  EXPECT_THAT(optimize_text(same),
              HasSubstr("the model already runs in the fastest configuration\n"));
  EXPECT_THAT(optimize_text(same), Not(HasSubstr("1.00×")));
}

TEST(OptimizeReport, AnInterruptedCheckIsNone) {
  OptimizedModel cut = optimized({.median = 1.5, .interval = {1.49, 1.51}}, {});
  cut.check.reset();
  EXPECT_THAT(optimize_text(cut),
              HasSubstr("against the measured variant: not measured: interrupted\n"));
  EXPECT_TRUE(nlohmann::json::parse(optimize_receipt(cut, {}))["facts"]["written_against_measured"]
                  .is_null());
  EXPECT_FALSE(cut.is_slower());
}

}  // namespace
}  // namespace strata
