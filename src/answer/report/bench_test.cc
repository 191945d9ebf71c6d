// Outputs of made-up benchmarks: what is said, and what is not.
#include "strata/report/bench.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/bench_text.h"
#include "report/test_bench_run.h"
#include "strata/base/number_text.h"

namespace strata {
namespace {

using test::measured;
using test::two_variants;
using test::wide_table;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The cell of a CSV without quotes.
std::string cell(const std::string& csv, const std::string& column, std::size_t row) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string one; std::getline(in, one, ',');) cells.push_back(one);
    return cells;
  };
  const auto lines = lines_of(csv);
  const auto names = split(lines[0]), cells = split(lines[row + 1]);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == column) return i < cells.size() ? cells[i] : "";
  return "no such column";
}

TEST(BenchTable, PercentilesOnlyWhereSamplesCarryThem) {
  const std::string few = wide_table(two_variants(200));
  EXPECT_THAT(few, HasSubstr("n/a (n=200, needs 662)"));
  EXPECT_EQ(cell(bench_to_csv(two_variants(200)), "p99_s", 0), "");
  const std::string enough = wide_table(two_variants(670));
  EXPECT_THAT(enough, Not(HasSubstr("needs 662")));
  EXPECT_EQ(cell(bench_to_csv(two_variants(670)), "p99_s", 0), "0.202");
}

TEST(BenchTable, ThroughputIsWorkOverTotalTime) {
  BenchRun run = two_variants(10);
  run.groups[0].result.variants[1].processes[0].blocks = {{0.1, 0.3}};
  run.groups[0].result.variants[1].variant.batch = 4;
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "mean_fps", 1), "20");    // 8 samples in 0.4 s; the mean of rates is 26.7
  EXPECT_EQ(cell(csv, "median_fps", 1), "20");  // 4 over 0.2 s
  EXPECT_EQ(cell(csv, "median_s", 1), "0.2");
}

TEST(BenchTable, AtAFixedRateThereIsNoThroughput) {
  BenchRun run = two_variants(10);
  run.method.load = {LoadMode::Kind::Rate, 40, false, 0};
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "mean_fps", 0), "");
  EXPECT_EQ(cell(csv, "median_fps", 0), "");
  EXPECT_EQ(cell(csv, "median_s", 0), "0.2");
}

TEST(BenchTable, SaysWhoIsFastestAndByHowMuch) {
  const std::string table = wide_table(two_variants());
  EXPECT_THAT(table, HasSubstr("2.00× [1.98, 2.02]"));
  EXPECT_THAT(table, HasSubstr("net: fastest is fast, 100.0 ms: 2.00× [1.98, 2.02] over slow\n"));
  EXPECT_THAT(table, HasSubstr("Machine: Test CPU, 2 cores"));
  EXPECT_THAT(table, HasSubstr("1.2e-06"));
}

TEST(BenchTable, WhatCannotBeToldApartIsSaid) {
  BenchRun run = two_variants();
  run.groups[0].result.indistinct = {0};
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("net: no clear winner: fast, slow cannot be told apart\n"));
  EXPECT_THAT(table, Not(HasSubstr("fastest")));
  EXPECT_EQ(cell(bench_to_csv(run), "fastest", 1), "0");
  const auto read = bench_from_json(bench_to_json(run), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->groups[0].result.winner, 1u);
  EXPECT_FALSE(read->groups[0].result.has_clear_winner());
  EXPECT_THAT(bench_to_json(run), HasSubstr("\"fastest\": null"));
}

// A speedup that nothing is claimed of is a row with its reason, in every format.
TEST(BenchTable, AWithheldSpeedUpSaysWhy) {
  BenchRun run = two_variants();
  SpeedUp& speed_up = *run.groups[0].result.speed_ups[1];
  speed_up.withheld = "3 of 80 runs were undisturbed";
  speed_up.interval = {0, std::numeric_limits<double>::infinity()};
  run.groups[0].result.indistinct = {0};
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("\nfast: speedup withheld: 3 of 80 runs were undisturbed\n"));
  EXPECT_THAT(table, Not(HasSubstr("2.00×")));
  EXPECT_EQ(bench_headline(run), "");
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "speed_up", 1), "");
  EXPECT_EQ(cell(csv, "speed_up_low", 1), "");
  EXPECT_EQ(cell(csv, "withheld", 1), speed_up.withheld);
  EXPECT_EQ(cell(csv, "withheld", 0), "");
  const auto read = bench_from_json(bench_to_json(run), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->groups[0].result.speed_ups[1]->withheld, speed_up.withheld);
  EXPECT_FALSE(read->groups[0].result.speed_ups[1]->certain());
  EXPECT_THAT(bench_to_json(run), HasSubstr("\"withheld\": \"3 of 80 runs were undisturbed\""));
}

// Waiting is taken off the times of one thread, kept in the file, and said.
TEST(BenchTable, WaitingIsTakenOffAndSaid) {
  BenchRun run = two_variants(10);
  VariantResult& slow = run.groups[0].result.variants[0];
  slow.variant.session.threads = 1;
  slow.processes.resize(1);
  slow.processes[0].blocks = {{0.3, 0.2, 0.2, 0.4}};
  slow.processes[0].waits = {{0.1, 0, 0, 0.2}};
  slow.processes[0].contention = {1.1, 0.8, 9, 0.3, 0};
  EXPECT_THAT(slow.all_seconds(), testing::Each(testing::DoubleNear(0.2, 1e-12)));
  EXPECT_NEAR(slow.waited(), 0.3 / 1.1, 1e-12);
  EXPECT_THAT(wide_table(run), HasSubstr("it waited for a processor 27 % of the time"));
  const auto read = bench_from_json(bench_to_json(run), "x");
  ASSERT_TRUE(read) << read.error().message;
  const ProcessSamples& again = read->groups[0].result.variants[0].processes[0];
  EXPECT_EQ(again.blocks, slow.processes[0].blocks);
  EXPECT_EQ(again.waits, slow.processes[0].waits);
  EXPECT_DOUBLE_EQ(again.contention.wait_seconds, 0.3);
}

// From five runs nothing is claimed, and every figure is that of the runs as they are: 10 samples
// in 2 s of wall time. Without the waiting it would be 1.5 s.
TEST(BenchTable, TooFewRunsAreShownAsTheyAre) {
  BenchRun run = two_variants(10);
  VariantResult& slow = run.groups[0].result.variants[0];
  slow.variant.batch = 2;
  slow.processes.resize(1);
  slow.processes[0].blocks = {{0.4, 0.4, 0.4, 0.4, 0.4}};
  slow.processes[0].waits = {{0.1, 0.1, 0.1, 0.1, 0.1}};
  slow.processes[0].contention = {2, 1.5, 9, 0.5, 0};
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "median_s", 0), "0.4");
  EXPECT_EQ(cell(csv, "mean_fps", 0), "5");
  EXPECT_EQ(cell(csv, "median_fps", 0), "5");
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("; times as measured, FPS is"));
  EXPECT_THAT(table, HasSubstr("it waited for a processor 25 % of the time"));
  EXPECT_THAT(table, Not(HasSubstr("taken off")));
}

// 0.3 s and 0.1 s of waiting are taken off, and one of the runs is left out.
TEST(BenchTable, SaysWhatWasDoneToTheTimes) {
  BenchRun run = two_variants(10);
  EXPECT_THAT(wide_table(run), HasSubstr("; times as measured, FPS is"));
  VariantResult& slow = run.groups[0].result.variants[0];
  slow.processes[0].blocks = {{0.2, 0.2, 0.2, 0.2, 0.2, 0.5, 0.3, 0.9}};
  slow.processes[0].waits = {{0, 0, 0, 0, 0, 0.3, 0.1, 0.2}};
  slow.processes[0].paces = {{1, 1, 1, 1, 1, 1, 1, 2}};
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("; times without the 400.0 ms of waiting for a processor, 1 of 18 "
                               "runs left out, FPS is"));
  EXPECT_THAT(table, HasSubstr("1 of 8 runs were slowed by that and are left out"));
  // At a rate, nothing is taken off and nothing left out.
  slow.processes[0].service = {0.1};
  run.method.load = {LoadMode::Kind::Rate, 40, false, 0};
  const std::string rate = wide_table(run);
  EXPECT_THAT(rate, HasSubstr("; times as measured, FPS is"));
  EXPECT_THAT(rate, HasSubstr("all 8 runs are kept"));
  EXPECT_THAT(rate, Not(HasSubstr("left out")));
}

TEST(BenchTable, SaysThatNothingKeepsUpAndNoMore) {
  BenchRun run = two_variants(200);
  run.method.load = {LoadMode::Kind::Rate, 6000, false, 0};
  BenchResult& result = run.groups[0].result;
  for (VariantResult& own : result.variants) own.utilization = 1.1;
  result.winner.reset();
  result.pareto.clear();
  result.speed_ups.assign(2, std::nullopt);
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("net: no variant keeps up with the requests\nRefused: slow cannot "
                               "keep up with 6000 inferences a second\n"));
  EXPECT_THAT(table, Not(HasSubstr("long enough")));
}

// One run has no interval, and no word such as fastest is said of it.
TEST(BenchTable, AVariantWithOneRunIsClaimedNothingOf) {
  BenchRun run = two_variants(1);
  BenchResult& result = run.groups[0].result;
  result.winner.reset();
  result.pareto.clear();
  result.speed_ups.assign(2, std::nullopt);
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("net: too few runs to claim anything\nNot sure: 1 run of slow was "
                               "measured, too few to go by: it takes 6; allow more time\n"));
  EXPECT_THAT(table, HasSubstr("n/a (n=1)"));
  EXPECT_THAT(table, Not(HasSubstr("fastest")));
  EXPECT_THAT(bench_to_json(run), HasSubstr("\"median_interval_s\": null"));
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "median_low_s", 0), "");
  EXPECT_THAT(cell(csv, "withheld", 1), HasSubstr("1 run of fast was measured"));
}

TEST(BenchTable, TooFewToCompareGivesNoRatio) {
  BenchRun run = two_variants();
  run.groups[0].result.speed_ups[1]->interval = {0, std::numeric_limits<double>::infinity()};
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("fast, 100.0 ms; too little was measured to compare it with slow"));
  EXPECT_THAT(table, Not(HasSubstr("2.00×")));
}

// The titles stand below the two lines of the verdict and an empty one.
std::string header_of(const BenchRun& run) { return lines_of(wide_table(run))[3]; }

TEST(BenchTable, OutcomesAreShownWhereOneIsNotFine) {
  BenchRun run = two_variants();
  EXPECT_THAT(header_of(run), Not(HasSubstr("Result")));
  run.groups[0].result.variants[1].partial = true;
  EXPECT_THAT(header_of(run), HasSubstr("Result"));
}

TEST(BenchTable, NoiseIsFlagged) {
  BenchRun run = two_variants();
  EXPECT_THAT(wide_table(run), Not(HasSubstr("noisy")));
  run.groups[0].result.variants[0] = measured("slow", 0.2, 200, 0.2);
  EXPECT_THAT(wide_table(run), HasSubstr("! CV above 2.5 %: noisy"));
}

TEST(BenchTable, EnergyFromCountsIsMarked) {
  const std::string table = wide_table(two_variants());
  EXPECT_THAT(table, HasSubstr("≈2.000 mJ"));
  EXPECT_THAT(table, HasSubstr("not readable here"));
  EXPECT_THAT(table,
              HasSubstr("≈ energy from counts and published figures, not measured: no counters"));
  BenchRun run = two_variants();
  for (VariantResult& result : run.groups[0].result.variants) result.joules = 0.5;
  EXPECT_THAT(wide_table(run), HasSubstr("500.0 mJ"));
  EXPECT_THAT(wide_table(run), Not(HasSubstr("≈")));
}

TEST(BenchTable, FailuresAreRowsThatSaySo) {
  BenchRun run = two_variants();
  VariantResult failed;
  failed.variant = run.groups[0].result.variants[0].variant;
  failed.variant.engine = "torch";
  failed.failure = Failure::Crashed;
  failed.reason = "signal 11\nmore";
  run.groups[0].result.variants.push_back(failed);
  run.groups[0].result.speed_ups.emplace_back();
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("\ntorch: crashed: signal 11\n"));
  const std::string csv = bench_to_csv(run);
  EXPECT_EQ(cell(csv, "median_s", 2), "");
  EXPECT_EQ(cell(csv, "n", 2), "0");
  EXPECT_EQ(cell(csv, "result", 2), "crashed");
}

TEST(BenchTable, NothingMeasuredIsNotFast) {
  BenchRun run = two_variants();
  run.groups[0].result.winner.reset();
  for (VariantResult& result : run.groups[0].result.variants) {
    result.processes.clear();
    result.failure = Failure::Refused;
    result.reason = "no";
  }
  run.groups[0].result.speed_ups.assign(2, std::nullopt);
  const std::string table = wide_table(run);
  EXPECT_THAT(table, HasSubstr("net: nothing could be measured"));
  EXPECT_EQ(bench_headline(run), "");
}

TEST(BenchBars, AreAsLongAsTheTimesAndShadeTheInterval) {
  const std::string bars = bench_bars(two_variants().groups[0], 0);
  const auto lines = lines_of(bars);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "net, median and 95 % interval");
  const auto count = [](const std::string& line, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = line.find(part); at != line.npos; at = line.find(part, at + part.size()))
      ++found;
    return found;
  };
  // One process: ± 4.6 % of each is interval, so 40 · 0.955 / 1.047 are solid.
  EXPECT_EQ(count(lines[1], "█"), 36u);
  EXPECT_EQ(count(lines[2], "█"), 18u);

  BenchGroup noisy = two_variants().groups[0];
  noisy.result.variants[0] = measured("slow", 0.2, 8, 0.5);
  EXPECT_GT(count(bench_bars(noisy, 0), "▒"), 2u);
}

TEST(BenchBars, FitTheWidth) {
  BenchGroup group = two_variants().groups[0];
  for (const std::size_t width : {60, 70, 80})
    for (const std::string& line : lines_of(bench_bars(group, width)))
      EXPECT_LE(display_width(line), width) << line;
}

TEST(BenchTorchblade, HasThePublishedColumns) {
  std::ifstream golden(STRATA_SOURCE_DIR "/tests/golden/torchblade_benchmark.csv");
  std::string header;
  ASSERT_TRUE(std::getline(golden, header));
  const auto lines = lines_of(bench_to_csv(two_variants(), BenchLayout::Torchblade));
  EXPECT_EQ(lines[0], header);
  EXPECT_EQ(lines[2], "net,onnx,fast,fp32,10,10,0.1,0.1,,0.000708881");
}

// Rows of the published table whose figures can be had from two samples each: the same
// digits come out, but for p99, which so few cannot carry.
TEST(BenchTorchblade, PrintsPublishedFiguresAsPublished) {
  std::ifstream golden(STRATA_SOURCE_DIR "/tests/golden/torchblade_benchmark.csv");
  std::string line;
  std::getline(golden, line);
  std::size_t rows = 0;
  while (std::getline(golden, line)) {
    std::vector<std::string> cells;
    std::istringstream in(line);
    for (std::string one; std::getline(in, one, ',');) cells.push_back(one);
    ASSERT_EQ(cells.size(), 10u);
    const double median = std::stod(cells[6]);
    BenchRun run = two_variants(1);
    VariantResult& result = run.groups[0].result.variants[0];
    const bool pair = cells[0].ends_with("_b2");
    result.variant.batch = pair ? 2 : 1;
    result.processes[0].blocks = {{median}};
    run.groups[0].model = pair ? cells[0].substr(0, cells[0].size() - 3) : cells[0];
    const auto printed = lines_of(bench_to_csv(run, BenchLayout::Torchblade));
    EXPECT_EQ(printed[1].substr(0, cells[0].size()), cells[0]);
    EXPECT_EQ(cell(printed[0] + "\n" + printed[1], "median_s", 0), cells[6]);
    // The published rates come from times with more digits.
    EXPECT_NEAR(std::stod(cell(printed[0] + "\n" + printed[1], "median_fps", 0)),
                std::stod(cells[4]), 2e-5 * std::stod(cells[4]));
    ++rows;
  }
  EXPECT_EQ(rows, 26u);
}

TEST(BenchTorchblade, HeadlineTakesTheBestThatIsSure) {
  BenchRun run = two_variants();
  EXPECT_EQ(bench_headline(run), "Up to 2.00× [1.98, 2.02] over slow: net on fast");
  run.groups[0].result.speed_ups[1]->tail = 1.76;
  EXPECT_EQ(bench_headline(run), "Up to 2.00× [1.98, 2.02] over slow: net on fast, 1.76× at p99");
  run.groups[0].result.speed_ups[1]->interval = {0.9, 3};
  EXPECT_EQ(bench_headline(run), "");
  run.groups[0].result.speed_ups[1]->interval = {1.98, 2.02};
  run.groups[0].result.variants[1].failure = Failure::WrongAnswer;
  EXPECT_EQ(bench_headline(run), "");
}

TEST(BenchMarkdown, IsATableAndAList) {
  const auto lines = lines_of(bench_to_markdown(two_variants(), BenchLayout::Torchblade));
  EXPECT_EQ(lines[0], "Up to 2.00× [1.98, 2.02] over slow: net on fast");
  EXPECT_EQ(lines[2],
            "| Model | Export | Backend | Precision | Median(FPS) | Mean(FPS) | Median(s) | "
            "Mean(s) | 99th_p(s) | std_dev(s) |");
  EXPECT_THAT(bench_to_markdown(two_variants()), testing::StartsWith("- net: fastest is fast"));
}

TEST(BenchAaText, SaysHowOftenTheMachineMisleads) {
  BenchRun run;
  Variant variant;
  variant.model = "net";
  variant.engine = "fake";
  run.aa.push_back({variant,
                    {.trials = 1000,
                     .pairs = 12,
                     .false_rate = 0.031,
                     .false_rate_interval = {0.01, 0.06},
                     .smallest = 0.012,
                     .sequential_rate = 0.31,
                     .seconds = 60}});
  const std::string text = bench_to_table(run);
  EXPECT_THAT(text, HasSubstr("false differences  3.1 % [1.0, 6.0]"));
  EXPECT_THAT(text, HasSubstr("smallest detectable difference  1.20 %"));
  EXPECT_THAT(text, HasSubstr("31.0 %"));
  const auto read = bench_from_json(bench_to_json(run), "x");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->aa[0].check.pairs, 12);
  EXPECT_EQ(bench_to_json(*read), bench_to_json(run));
}

}  // namespace
}  // namespace strata
