#include "strata/report/quantize.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<SampleScore> noisy(double noise) {
  SampleScore one;
  one.signal = 1;
  one.noise = noise;
  return std::vector<SampleScore>(8, one);
}

// Two layers: one in int8 that is twice as fast, one in float of which nothing is sure.
QuantizeReport report_with(double got, double promised) {
  QuantizeReport report;
  report.output = "out.onnx";
  report.advice.keep_auto = "; --keep-float auto would help";
  report.float_bytes = 400;
  QuantizeOutcome& outcome = report.outcome;
  outcome.int8_bytes = 100;
  outcome.layers.resize(2);
  outcome.layers[0].path = "a";
  outcome.layers[0].int8 = true;
  outcome.layers[0].runs = RunsIn::Int8;
  outcome.layers[0].kernel = "QLinearConv";
  outcome.layers[0].floats = {4e-3, Interval{3.9e-3, 4.1e-3}};
  outcome.layers[0].written = {2e-3, Interval{1.9e-3, 2.1e-3}};
  outcome.layers[0].speed_up = RowSpeedUp{2, Interval{1.86, 2.16}};
  outcome.layers[1].speed_up = RowSpeedUp{1 / 1.1, Interval{0.25, 3.33}};
  outcome.layers[1].path = "b";
  outcome.layers[1].reason = "named";
  outcome.layers[1].runs = RunsIn::Float;
  outcome.layers[1].output_rounded = true;
  outcome.layers[1].floats = {1e-3, Interval{0.5e-3, 2e-3}};
  outcome.layers[1].written = {1.1e-3, Interval{0.6e-3, 2e-3}};
  outcome.rest = {{"conversions", {}, {0.4e-3, {}}}, {"outside kernels", {0.5e-3, {}}, {}}};
  outcome.got = noisy(got);
  outcome.promised = noisy(promised);
  return report;
}

TEST(QuantizeReport, QualityIsSaidFirst) {
  const std::string bad = quantize_text(report_with(0.05, 0.05), {});
  EXPECT_THAT(bad,
              testing::StartsWith(
                  "WARNING: the answers are bad: SQNR 13.0 dB, below 20 dB; --keep-float auto"));
  const std::string good = quantize_text(report_with(1e-3, 1e-3), {});
  EXPECT_THAT(good, testing::StartsWith("out.onnx: its speed was not measured, SQNR 30.0 dB"));
  EXPECT_THAT(good, HasSubstr("\nout.onnx: 1 of 2 layers in int8"));
  EXPECT_THAT(good, Not(HasSubstr("WARNING")));
}

// A caller without options has nothing to say there.
TEST(QuantizeReport, AdviceIsTheCallers) {
  QuantizeReport report = report_with(0.05, 0.05);
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("still rounded beside layers in float: b (output)\n"));
  report.advice = {.keep_output = "; keep it"};
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("still rounded beside layers in float: b (output); keep it\n"));
  EXPECT_THAT(quantize_warnings(report),
              testing::ElementsAre("the answers are bad: SQNR 13.0 dB, below 20 dB"));
}

TEST(QuantizeReport, APromiseThatIsNotKeptIsSaidFirst) {
  const QuantizeReport report = report_with(1e-3, 1e-4);
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              testing::StartsWith("WARNING: the written model does not reach what was promised: "
                                  "SQNR 40.0 dB [40.0, 40.0] promised, SQNR 30.0 dB"));
  const auto json = nlohmann::json::parse(quantize_json(report));
  EXPECT_EQ(json["facts"]["warnings"].size(), 1u);
  EXPECT_FALSE(json["facts"]["answers"]["kept_promise"].get<bool>());
  EXPECT_NEAR(json["facts"]["answers"]["promised_sqnr_db"].get<double>(), 40, 1e-9);
}

TEST(QuantizeReport, SaysWhichSamplesJudgeAChoice) {
  QuantizeReport report = report_with(1e-3, 1e-3);
  const auto answers = [&] {
    return nlohmann::json::parse(quantize_json(report))["facts"]["answers"];
  };
  EXPECT_THAT(quantize_text(report, {.width = 0}), Not(HasSubstr("chosen")));
  EXPECT_TRUE(answers()["chosen_on"].is_null());
  EXPECT_TRUE(answers()["judged_on_others"].is_null());
  report.outcome.chosen_on = 24;
  report.outcome.judged_on_others = true;
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("\nchosen on 24 samples, judged on 8 others\n"));
  EXPECT_EQ(answers()["chosen_on"], 24);
  EXPECT_EQ(answers()["judged_on_others"], true);
  report.outcome.chosen_on = 8;
  report.outcome.judged_on_others = false;
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("\nchosen and judged on the same 8 samples, which flatters the choice"));
  EXPECT_EQ(answers()["judged_on_others"], false);
}

TEST(QuantizeReport, OneSampleCannotTellWhetherAPromiseIsKept) {
  QuantizeReport report = report_with(1e-3, 1e-4);
  report.outcome.got.resize(1);
  report.outcome.promised.resize(1);
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("; whether the file reaches that is unknown\n"));
  const auto json = nlohmann::json::parse(quantize_json(report));
  EXPECT_TRUE(json["facts"]["answers"]["kept_promise"].is_null());
  EXPECT_EQ(json["facts"]["warnings"].size(), 0u);
}

TEST(QuantizeReport, WhatRunsMayBeUnknown) {
  QuantizeReport report = report_with(1e-3, 1e-3);
  for (QuantizedLayer& layer : report.outcome.layers) layer.runs = RunsIn::Unknown;
  report.outcome.not_looked = "x 1 does not tell";
  const std::string text = quantize_text(report, {.width = 0});
  EXPECT_THAT(text, HasSubstr("\nwhich precision the layers run in is unknown\n"));
  EXPECT_THAT(text, HasSubstr("unknown (written for int8)"));
  EXPECT_THAT(text, HasSubstr("unknown (named)"));
  EXPECT_THAT(text, Not(HasSubstr("the engine runs")));
  EXPECT_THAT(text, HasSubstr("\nNote: the precision of the layers is unknown"));
  const auto json = nlohmann::json::parse(quantize_json(report));
  EXPECT_EQ(json["tables"]["layers"]["rows"][0]["runs_in"], "unknown");
  EXPECT_TRUE(json["tables"]["layers"]["rows"][0]["kernel"].is_string());
  EXPECT_THAT(json["notes"][0].get<std::string>(), HasSubstr("x 1 does not tell"));
}

// 4 + 1 + 0.5, and 2 + 1.1 + 0.4 without the time outside of kernels, which is not known.
TEST(QuantizeReport, RowsAddUp) {
  const QuantizeReport report = report_with(1e-3, 1e-3);
  const std::string csv = quantize_csv(report);
  EXPECT_THAT(csv, HasSubstr("\ntotal,total,,,,,,0.0055,,,0.0035"));
  const std::string text = quantize_text(report, {.width = 0});
  EXPECT_THAT(text, HasSubstr("2.00× [1.86, 2.16]"));
  EXPECT_THAT(text, HasSubstr("0.91× [0.25, 3.33] not sure"));
  EXPECT_THAT(text, HasSubstr("float (named)"));
  EXPECT_THAT(text, HasSubstr("still rounded beside layers in float: b (output)"));
}

VariantResult runs_of(double seconds) {
  VariantResult out;
  out.processes.emplace_back().blocks = {std::vector<double>(10, seconds)};
  return out;
}

// 177.5 / 151.4 = 1.17. The ratio from blocks side by side is another number, and is called that.
TEST(QuantizeReport, TheRatioShownIsThatOfTheTimesShown) {
  QuantizeReport report = report_with(1e-3, 1e-3);
  report.outcome.bench.emplace();
  report.outcome.bench->variants = {runs_of(177.5e-6), runs_of(151.4e-6)};
  report.outcome.bench->speed_ups = {SpeedUp{.interval = {1, 1}},
                                     SpeedUp{.median = 1.41, .interval = {1.2, 1.6}}};
  EXPECT_THAT(
      quantize_text(report, {.width = 0}),
      HasSubstr("latency: 177.5 µs → 151.4 µs: 1.17× of the medians; 1.41× from blocks side "
                "by side [1.20, 1.60]\n"));
  report.outcome.bench->speed_ups[1]->median = 1.172;
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("latency: 177.5 µs → 151.4 µs: 1.17× [1.20, 1.60]\n"));
  EXPECT_THAT(quantize_text(report, {.width = 0}),
              HasSubstr("the time outside of kernels is not known"));
  // The total is the whole run, whatever its rows add up to.
  EXPECT_THAT(quantize_csv(report), HasSubstr("\ntotal,total,,,,,,0.0001775,,,0.0001514"));
}

// The floats ran four times, too few for a claim, so that the written file is the base of the
// comparison. Its ratio to itself is not a speedup.
TEST(QuantizeReport, NoSpeedUpIsClaimedFromFewRunsOfTheFloats) {
  QuantizeReport report = report_with(1e-3, 1e-3);
  BenchResult& bench = report.outcome.bench.emplace();
  bench.variants = {runs_of(1.5e-3), runs_of(0.6e-3)};
  bench.variants[0].processes[0].blocks[0].resize(4);
  bench.base = 1;
  bench.speed_ups = {SpeedUp{.interval = {0, std::numeric_limits<double>::infinity()}},
                     SpeedUp{.interval = {1, 1}}};
  const std::string text = quantize_text(report, {.width = 0});
  EXPECT_THAT(text, testing::StartsWith("out.onnx: its speed was not measured"));
  EXPECT_THAT(text, HasSubstr("latency: 1.500 ms → 600.0 µs: no speedup is claimed: "));
  EXPECT_THAT(text, HasSubstr("4 runs"));
  EXPECT_THAT(text, Not(HasSubstr("1.00×")));
  const auto latency = nlohmann::json::parse(quantize_json(report))["facts"]["latency"];
  EXPECT_TRUE(latency["speed_up"].is_null());
  EXPECT_TRUE(latency["interval"].is_null());
}

TEST(QuantizeReport, WrittenForInt8ButRunInFloats) {
  QuantizeReport report = report_with(1e-3, 1e-3);
  report.outcome.layers[0].runs = RunsIn::Float;
  const std::string text = quantize_text(report, {.width = 0});
  EXPECT_THAT(text, HasSubstr("written for int8, but run in float: a\n"));
  EXPECT_THAT(text, HasSubstr("float (written for int8)"));
  EXPECT_EQ(nlohmann::json::parse(quantize_json(report))["tables"]["layers"]["rows"][0]["runs_in"],
            "float");
}

}  // namespace
}  // namespace strata
