// Benchmarks as JSON, and read back.
#include <cmath>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/test_bench_run.h"

namespace strata {
namespace {

using test::two_variants;
using test::wide_table;
using ::testing::HasSubstr;

TEST(BenchJson, IsReadBackAsItWas) {
  BenchRun run = two_variants(30);
  run.options = {{"--engine", "slow,fast"}};
  run.started = "2024-05-01T12:00:00Z";
  run.method.load = {LoadMode::Kind::Sustained, 0, false, 1800};
  run.method.seed = std::numeric_limits<std::uint64_t>::max();
  BenchResult& result = run.groups[0].result;
  result.variants[0].variant.session.precision = "bf16";
  result.variants[0].variant.session.options = {"spin=0"};
  result.variants[1].variant.stored = "int8";
  result.variants[1].drift = Drift{0.04, {0.01, 0.07}};
  result.variants[1].partial = true;
  result.variants[1].joules = 0.25;
  result.speed_ups[1]->tail = 1.5;
  result.speed_ups[1]->tail_interval = Interval{1.2, 1.9};
  VariantResult failed;
  failed.variant.engine = "torch";
  failed.failure = Failure::TimedOut;
  failed.reason = "no answer in 2 s";
  result.variants.push_back(failed);
  result.speed_ups.push_back(SpeedUp{1, {0, std::numeric_limits<double>::infinity()}, {}, {}});
  run.groups[0].modelled_joules.emplace_back();
  const std::string json = bench_to_json(run);
  const auto read = bench_from_json(json, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(bench_to_json(*read), json);
  EXPECT_EQ(wide_table(*read), wide_table(run));
  EXPECT_EQ(read->groups[0].result.variants[0].all_seconds(), result.variants[0].all_seconds());
  EXPECT_EQ(read->groups[0].result.variants[2].failure, Failure::TimedOut);
  EXPECT_TRUE(std::isinf(read->groups[0].result.speed_ups[2]->interval.high));
}

// In 0.1 facts stood at the top, and null stood for infinity, too.
TEST(BenchJson, WhatWasSavedBy01IsStillRead) {
  std::ifstream file(STRATA_SOURCE_DIR "/tests/data/saved_by_0.1/bench.json");
  const std::string json{std::istreambuf_iterator<char>(file), {}};
  const auto read = bench_from_json(json, "x.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->program, "strata 0.1.0");
  ASSERT_EQ(read->groups.size(), 1u);
  ASSERT_EQ(read->groups[0].result.variants.size(), 2u);
  EXPECT_GT(read->groups[0].result.variants[0].runs(), 0u);
  const std::string saved = bench_to_json(*read);
  EXPECT_THAT(saved, HasSubstr("\"schema\": 2"));
  const auto again = bench_from_json(saved, "y.json");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(bench_to_json(*again), saved);
}

TEST(BenchJson, NumbersThatAreNoneAreNull) {
  BenchRun run = two_variants(3);
  run.groups[0].result.variants[1].difference->relative_error =
      std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(bench_to_json(run), HasSubstr("\"relative_error\": null"));
  EXPECT_THAT(bench_to_json(run), HasSubstr("\"p99_s\": null"));
}

TEST(BenchJson, WhatIsNoBenchmarkGetsASentence) {
  const auto message = [](std::string_view text) {
    const auto read = bench_from_json(text, "x");
    return read ? "read" : read.error().message;
  };
  EXPECT_EQ(message("[]"), "benchmark x: is not a benchmark: it is not a JSON object");
  EXPECT_THAT(message("{"), HasSubstr("benchmark x: it is not JSON"));
  EXPECT_EQ(message("{}"), "benchmark x: it has another \"kind\" than bench");
  EXPECT_EQ(message(R"({"kind":"bench","schema":3})"),
            "benchmark x: it has schema 3, and this strata reads 1 and 2");
  EXPECT_EQ(message(R"({"kind":"bench","schema":2,"facts":{"method":{"seed":"1x"}}})"),
            "benchmark x: a \"seed\" is not a whole number from 0 on");
  EXPECT_EQ(message(R"({"kind":"bench","schema":1,"models":[{"base":3,"variants":[{}]}]})"),
            "benchmark x: \"base\" is not a variant");
  EXPECT_EQ(message(R"({"kind":"bench","schema":1,"models":[{"fastest":0,"variants":[]}]})"),
            "benchmark x: \"fastest\" is not a variant");
  EXPECT_EQ(message(R"({"kind":"bench","schema":1,"models":[{"variants":[{"batch":0}]}]})"),
            "benchmark x: a \"batch\" is below 1");
  EXPECT_EQ(
      message(
          R"({"kind":"bench","schema":1,"models":[{"variants":[{"processes":[{"blocks_s":[1]}]}]}]})"),
      "benchmark x: a \"blocks_s\" is not a list of numbers");
  EXPECT_EQ(message(R"({"kind":"bench","schema":1,"new":{"a":1},"models":[]})"), "read");
}

}  // namespace
}  // namespace strata
