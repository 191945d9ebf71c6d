// The first two lines, on made-up outcomes.
#include "report/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/test_bench_run.h"

namespace strata {
namespace {

using test::measured;
using test::two_variants;
using testing::HasSubstr;
using testing::StartsWith;

// ----- bench

TEST(BenchVerdict, Faster) {
  const Verdict verdict = bench_verdict(two_variants());
  EXPECT_THAT(verdict.answer,
              StartsWith("net: fastest is fast, 100.0 ms: 2.00× [1.98, 2.02] over slow"));
  EXPECT_EQ(verdict.advice,
            "Sure: its 95 % interval is above 1, and no other may be as fast. Take fast");
  EXPECT_EQ(verdict.meaning, Meaning::Better);
}

TEST(BenchVerdict, Slower) {
  BenchRun run = two_variants();
  BenchResult& result = run.groups.front().result;
  result.speed_ups[1] = SpeedUp{0.8, {0.78, 0.82}, {}, {}};
  result.winner = 0;
  const Verdict verdict = bench_verdict(run);
  EXPECT_THAT(verdict.answer, StartsWith("net: fastest is slow"));
  EXPECT_THAT(verdict.answer, HasSubstr("; the next has 0.80× [0.78, 0.82]"));
  EXPECT_EQ(verdict.advice, "Sure: every 95 % interval is below 1. Stay with slow");
  EXPECT_EQ(verdict.meaning, Meaning::Worse);
}

TEST(BenchVerdict, CannotTell) {
  BenchRun run = two_variants();
  run.groups.front().result.indistinct = {0};
  run.groups.front().result.seconds = 12;
  const Verdict verdict = bench_verdict(run);
  EXPECT_EQ(verdict.answer, "net: no clear winner: fast, slow cannot be told apart");
  EXPECT_EQ(verdict.advice,
            "Not sure: after 12.00 s the 95 % intervals of the speedups still include 1. Measure "
            "longer, or choose by memory and answers");
  EXPECT_EQ(verdict.meaning, Meaning::Plain);
}

// Without one comparison, there are no intervals to speak of.
TEST(BenchVerdict, TooFewRunsToCompareAny) {
  BenchRun run = two_variants();
  BenchResult& result = run.groups.front().result;
  result.indistinct = {0};
  result.speed_ups[1]->withheld = "3 runs were measured, too few to go by";
  const Verdict verdict = bench_verdict(run);
  EXPECT_EQ(verdict.answer, "net: not decided: there are too few runs to compare fast, slow");
  EXPECT_EQ(verdict.advice, "Not sure: 3 runs were measured, too few to go by");
  EXPECT_EQ(verdict.meaning, Meaning::Plain);
}

TEST(BenchVerdict, Refused) {
  BenchRun run = two_variants();
  BenchResult& result = run.groups.front().result;
  result.winner.reset();
  result.variants[0].failure = Failure::Crashed;
  result.variants[0].reason = "it ended with signal 11\nmore";
  const Verdict verdict = bench_verdict(run);
  EXPECT_EQ(verdict.answer, "net: no variant with correct outputs could be compared");
  EXPECT_EQ(verdict.advice, "Refused: slow: crashed: it ended with signal 11");
  EXPECT_EQ(verdict.meaning, Meaning::Refused);
}

TEST(BenchVerdict, InterruptedOrWithheldIsNotSure) {
  BenchRun run = two_variants();
  run.complete = false;
  EXPECT_THAT(bench_verdict(run).advice, HasSubstr(". It was interrupted: run it to its end"));
  run.complete = true;
  run.groups.front().result.speed_ups[1]->withheld = "the clock jumped";
  EXPECT_EQ(bench_verdict(run).advice, "Not sure: speedup withheld: the clock jumped");
  EXPECT_EQ(bench_verdict(run).meaning, Meaning::Plain);
  EXPECT_EQ(bench_verdict({}).answer, "");
}

TEST(BenchVerdict, OfSeveralModels) {
  BenchRun run = two_variants();
  run.groups.push_back(run.groups.front());
  run.groups[1].model = "other";
  run.groups[1].result.indistinct = {0};
  const Verdict verdict = bench_verdict(run);
  EXPECT_THAT(verdict.answer, StartsWith("1 of 2 has a clear winner. Up to 2.00× [1.98, 2.02]"));
  EXPECT_EQ(verdict.advice, "Not sure, measure longer: other");
}

// ----- optimize

OptimizedModel optimized(SpeedUp gain, SpeedUp check) {
  OptimizedModel out{"m.onnx", "fast.onnx", "", 30, {}, check};
  out.last.variants = {measured("slow", 0.015, 50), measured("fast", 0.01, 50)};
  out.last.speed_ups = {SpeedUp{.interval = {1, 1}}, gain};
  out.last.winner = 1;
  return out;
}
const SpeedUp kSame{.median = 1, .interval = {0.99, 1.01}};

TEST(OptimizeVerdict, Faster) {
  const Verdict verdict =
      optimize_verdict(optimized({.median = 1.5, .interval = {1.49, 1.51}}, kSame), "more time:");
  EXPECT_EQ(verdict.answer, "fast.onnx: fast, 10.00 ms, 1.50× [1.49, 1.51] over slow");
  EXPECT_EQ(verdict.advice,
            "Sure: the 95 % interval is above 1, and no other may be as fast. Take it");
  EXPECT_EQ(verdict.meaning, Meaning::Better);
}

TEST(OptimizeVerdict, Slower) {
  const Verdict verdict = optimize_verdict(optimized({.median = 1.5, .interval = {1.49, 1.51}},
                                                     {.median = 0.9, .interval = {0.89, 0.91}}),
                                           "more time:");
  EXPECT_EQ(verdict.answer,
            "fast.onnx: the written file is SLOWER than the measured variant, 0.90× [0.89, 0.91]");
  EXPECT_EQ(verdict.meaning, Meaning::Worse);
}

TEST(OptimizeVerdict, CannotTell) {
  const Verdict verdict =
      optimize_verdict(optimized({.median = 1.1, .interval = {0.8, 1.4}}, kSame), "more time:");
  EXPECT_EQ(verdict.advice,
            "Not sure: it may be no faster than slow; more time: 2min would say more");
  EXPECT_EQ(verdict.meaning, Meaning::Plain);
}

TEST(OptimizeVerdict, RandomSamplesAreRefused) {
  OptimizedModel random = optimized({.median = 1.5, .interval = {1.49, 1.51}}, kSame);
  random.answer = Int8Answer{.samples = 4, .random = true};
  EXPECT_THAT(optimize_verdict(random, "").advice, StartsWith("WARNING: RANDOM samples"));
  EXPECT_EQ(optimize_verdict(random, "").meaning, Meaning::Refused);
}

// ----- quantize

// A signal of 1 with this much noise: 1e-3 is 30 dB.
std::vector<SampleScore> noisy(double noise) {
  SampleScore one;
  one.signal = 1;
  one.noise = noise;
  return std::vector<SampleScore>(8, one);
}

QuantizeReport quantized(double noise, std::optional<SpeedUp> found) {
  QuantizeReport report;
  report.output = "out.onnx";
  report.outcome.got = report.outcome.promised = noisy(noise);
  if (found) {
    report.outcome.bench.emplace();
    report.outcome.bench->variants = {measured("floats", 0.02, 50), measured("int8", 0.01, 50)};
    report.outcome.bench->speed_ups = {SpeedUp{.interval = {1, 1}}, *found};
  }
  return report;
}

TEST(QuantizeVerdict, Faster) {
  const Verdict verdict =
      quantize_verdict(quantized(1e-3, SpeedUp{.median = 2, .interval = {1.9, 2.1}}));
  EXPECT_THAT(verdict.answer,
              StartsWith("out.onnx: 2.00× [1.90, 2.10] as fast as the float model, SQNR 30.0 dB"));
  EXPECT_EQ(verdict.advice,
            "Sure: the 95 % interval is above 1; answers judged on 8 samples. Take it");
  EXPECT_EQ(verdict.meaning, Meaning::Better);
}

TEST(QuantizeVerdict, Slower) {
  const Verdict verdict =
      quantize_verdict(quantized(1e-3, SpeedUp{.median = 0.8, .interval = {0.7, 0.9}}));
  EXPECT_THAT(verdict.answer,
              StartsWith("out.onnx: SLOWER than the float model, 0.80× [0.70, 0.90]"));
  EXPECT_EQ(verdict.meaning, Meaning::Worse);
}

TEST(QuantizeVerdict, CannotTell) {
  const Verdict verdict =
      quantize_verdict(quantized(1e-3, SpeedUp{.median = 1, .interval = {0.9, 1.1}}));
  EXPECT_THAT(
      verdict.answer,
      StartsWith("out.onnx: may be faster or slower than the float model, 1.00× [0.90, 1.10]"));
  EXPECT_THAT(verdict.advice, StartsWith("Not sure: the 95 % interval includes 1"));
  const Verdict not_timed = quantize_verdict(quantized(1e-3, std::nullopt));
  EXPECT_THAT(not_timed.answer, StartsWith("out.onnx: its speed was not measured, SQNR 30.0 dB"));
  EXPECT_EQ(not_timed.meaning, Meaning::Plain);
}

TEST(QuantizeVerdict, BadAnswersAreRefusedHoweverFast) {
  const Verdict verdict =
      quantize_verdict(quantized(0.05, SpeedUp{.median = 2, .interval = {1.9, 2.1}}));
  EXPECT_EQ(verdict.answer, "WARNING: the answers are bad: SQNR 13.0 dB, below 20 dB");
  EXPECT_EQ(verdict.advice, "Do not use out.onnx as it is: answers judged on 8 samples");
  EXPECT_EQ(verdict.meaning, Meaning::Refused);
}

// ----- sensitivity

// Layers 0, 1, … with this much noise each, which differs a little between samples.
SensitivityRun sensitivity(const std::vector<double>& noises, double joint) {
  SensitivityRun run;
  run.samples = 8;
  run.result.baseline = noisy(0);
  run.result.joint = noisy(joint);
  for (std::size_t l = 0; l < noises.size(); ++l) {
    run.layers.emplace_back().path = "layer" + std::to_string(l);
    LayerScore score{noisy(noises[l]), {}};
    for (std::size_t i = 0; i < score.alone.size(); ++i)
      score.alone[i].noise *= i % 2 == 0 ? 0.99 : 1.01;
    run.result.layers.push_back(score);
  }
  return run;
}

// 1e-2 of 1.11e-2 is 90 %.
TEST(SensitivityVerdict, NamesTheWorstLayerAndWhatItCosts) {
  const Verdict verdict = sensitivity_verdict(sensitivity({1e-4, 1e-2, 1e-3}, 1.11e-2));
  EXPECT_THAT(verdict.answer, StartsWith("layer1 hurts most: 20.0 dB ["));
  EXPECT_THAT(verdict.answer, HasSubstr("all 3 layers together: 19.5 dB"));
  EXPECT_EQ(
      verdict.advice,
      "Sure: its 95 % interval is apart from that of the next. It has 90 % of the drops (R = 1); "
      "leave-one-out measures what keeping it in float gains");
}

// Lines that were broken to fit the screen go on with two spaces.
std::string unwrapped(std::string text) {
  for (std::size_t at; (at = text.find("\n  ")) != text.npos;) text.replace(at, 3, " ");
  return text;
}

// Alone, layers lose 2e-3, 4e-3 and 6.4e-3, which is 1.24 times the 1e-2 of all together. Left in
// floats, the first brings 1 - 6.9e-3/1e-2 = 31 % for a share of 16 %, the last
// 1 - 1.03e-2/1e-2 = -3 % for a share of 52 %.
TEST(SensitivityVerdict, FollowsWhatLeavingOneLayerOutBrought) {
  SensitivityRun run = sensitivity({2e-3, 4e-3, 6.4e-3}, 1e-2);
  const double left[] = {6.9e-3, 8e-3, 1.03e-2};
  for (std::size_t l = 0; l < 3; ++l) run.result.layers[l].left_out = noisy(left[l]);
  const Verdict verdict = sensitivity_verdict(run);
  EXPECT_THAT(verdict.answer,
              StartsWith("Keep layer0 in float: that takes away 31 % of the loss, 21.6 dB ["));
  EXPECT_EQ(verdict.advice,
            "Measured, layer by layer. layer2 hurts most alone, but keeping it in float takes away "
            "-3 %. These shares do not add up.");
  const std::string table = unwrapped(sensitivity_to_table(run, 0));
  EXPECT_THAT(table,
              HasSubstr("R = 1.24: the layers' own drops add up to 1.24 times the drop of "
                        "all together, but shares do not add up here: layer2 has 52 % of the "
                        "drops, and leaving it in float brings -3 %"));
  EXPECT_THAT(table, testing::Not(HasSubstr("Share ")));
  EXPECT_THAT(table, HasSubstr("31.0 %"));
}

// The first layer in float removes 31 % of the error 1e-2, the second 20 %; together they bring
// less than the first and the last, whose errors cancel those of others: 1 - 4e-3/1e-2 = 60 %.
TEST(SensitivityVerdict, NamesThePairThatBringsTheMost) {
  SensitivityRun run = sensitivity({2e-3, 4e-3, 6.4e-3}, 1e-2);
  const double left[] = {6.9e-3, 8e-3, 9.5e-3};
  for (std::size_t l = 0; l < 3; ++l) run.result.layers[l].left_out = noisy(left[l]);
  run.result.pairs = {{0, 1, noisy(5e-3)}, {0, 2, noisy(4e-3)}, {1, 2, noisy(7e-3)}};
  EXPECT_EQ(sensitivity_verdict(run).advice,
            "Measured, layer by layer. layer2 hurts most alone, but keeping it in float takes away "
            "5 %. Of all 3 pairs, layer0 and layer2 take away the most: 60 %. These shares do not "
            "add up.");
  // Two that bring no more than the best one are not named.
  run.result.pairs = {{0, 1, noisy(7e-3)}};
  EXPECT_THAT(sensitivity_verdict(run).advice, testing::Not(HasSubstr("pairs")));
}

// The loss with a layer in float, sample by sample: `mean`, less `swing` in every second sample
// and more in the others.
std::vector<SampleScore> swinging(double mean, double swing) {
  std::vector<SampleScore> scores = noisy(mean);
  for (std::size_t i = 0; i < scores.size(); ++i)
    scores[i].noise += (i % 2 == 0 ? -swing : swing) * scores[i].signal;
  return scores;
}

// layer0 takes away 31 %. layer1 takes away 29 % and is better than layer0 in half of the samples;
// layer2 takes away 20 % and is worse in all of them.
TEST(SensitivityVerdict, SaysWhichLayersCannotBeToldApart) {
  SensitivityRun run = sensitivity({2e-3, 3e-3, 5e-3}, 1e-2);
  run.result.layers[0].left_out = noisy(6.9e-3);
  run.result.layers[1].left_out = swinging(7.1e-3, 1e-3);
  run.result.layers[2].left_out = swinging(8e-3, 0.5e-3);
  EXPECT_THAT(sensitivity_verdict(run).advice,
              StartsWith("Measured, layer by layer: layer1 (29 %) takes away as much within the "
                         "noise of 8 samples. "));
  run.result.layers[2].left_out = swinging(7.2e-3, 1e-3);
  EXPECT_THAT(
      sensitivity_verdict(run).advice,
      StartsWith("Measured, layer by layer: layer1 (29 %) and layer2 (28 %) take away as much "
                 "within the noise of 8 samples. "));
  // Two pairs take away 50 and 48 %; the second is better in half of the samples.
  run.result.pairs = {{0, 1, noisy(5e-3)}, {0, 2, swinging(5.2e-3, 1e-3)}};
  EXPECT_THAT(
      sensitivity_verdict(run).advice,
      HasSubstr("Of the 2 pairs that were tried (3 exist), layer0 and layer1 take away the most: "
                "50 %; 1 other takes away as much within the noise."));
  for (LayerScore& layer : run.result.layers) layer.left_out.resize(2);
  EXPECT_THAT(sensitivity_verdict(run).advice,
              StartsWith("Measured, layer by layer. 2 samples are too few to tell it apart from "
                         "others. "));
}

// Each layer takes away what it has: 2e-3, 3e-3 and 5e-3 of 1e-2.
TEST(SensitivityVerdict, SharesHoldWhereLeavingOneOutBringsThem) {
  SensitivityRun run = sensitivity({2e-3, 3e-3, 5e-3}, 1e-2);
  const double left[] = {8e-3, 7e-3, 5e-3};
  for (std::size_t l = 0; l < 3; ++l) run.result.layers[l].left_out = noisy(left[l]);
  EXPECT_THAT(sensitivity_verdict(run).answer,
              StartsWith("Keep layer2 in float: that takes away 50 % of the loss"));
  EXPECT_EQ(sensitivity_verdict(run).advice, "Measured, layer by layer.");
  EXPECT_THAT(unwrapped(sensitivity_to_table(run, 0)),
              HasSubstr("leaving one layer at a time in float brings about its share"));
}

TEST(SensitivityVerdict, SaysWhenNoLayerHurts) {
  SensitivityRun run = sensitivity({1e-4, 1e-3}, 2e-3);
  run.quality = Quality::Accuracy;
  const auto label = [](std::vector<SampleScore>& scores, std::int64_t right) {
    for (SampleScore& score : scores) score.labelled = 1, score.right = right;
  };
  label(run.result.baseline, 1);
  label(run.result.joint, 1);
  for (LayerScore& layer : run.result.layers) label(layer.alone, 1);
  Verdict verdict = sensitivity_verdict(run);
  EXPECT_THAT(verdict.answer, StartsWith("no layer hurts: 100.0 %"));
  EXPECT_EQ(verdict.advice, "Nothing is lost by this metric");
  label(run.result.joint, 0);
  verdict = sensitivity_verdict(run);
  EXPECT_THAT(verdict.answer, StartsWith("no layer hurts: 100.0 %"));
  EXPECT_EQ(verdict.advice, "Only several layers together lose something");
}

TEST(SensitivityVerdict, CannotTellOrIsRefused) {
  const Verdict close = sensitivity_verdict(sensitivity({1e-2, 1.001e-2}, 2e-2));
  EXPECT_THAT(close.advice, StartsWith("Not sure which is the worst: layer0 may be as bad."));
  const Verdict apart = sensitivity_verdict(sensitivity({1e-4, 1e-2}, 0.5));
  EXPECT_THAT(apart.advice, HasSubstr("Drops do not add up (R = 0.0202)"));
  SensitivityRun random = sensitivity({1e-4, 1e-2}, 1e-2);
  random.random_data = true;
  EXPECT_THAT(sensitivity_verdict(random).advice, StartsWith("RANDOM samples: a dry run"));
  EXPECT_EQ(sensitivity_verdict(random).meaning, Meaning::Refused);
  SensitivityRun partial = sensitivity({1e-4, 1e-2}, 1e-2);
  partial.result.partial = true;
  EXPECT_THAT(sensitivity_verdict(partial).advice, StartsWith("Not sure: not all layers"));
}

}  // namespace
}  // namespace strata
