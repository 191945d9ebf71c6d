// Benchmarks of variants on the fake engine, some of which fail. Only the first test checks how
// long anything took.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "fake_bench.h"
#include "strata/build/weights.h"
#include "strata/write/onnx.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::children;
using test::FakeBench;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// One benchmark beside processes that keep all processors busy. Empty if the waiting was seen and
// subtracted, and the ratio of the steps was left.
std::string wrong_beside_others(const std::vector<Variant>& variants, const BenchOptions& options) {
  std::vector<pid_t> others;
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i) {
    const pid_t child = ::fork();
    if (child == 0)
      for (volatile int number = 0;;) number = number + 1;
    others.push_back(child);
  }
  const auto result = measure_variants(variants, options);
  for (const pid_t child : others) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  if (!result) return result.error().message;
  const VariantResult& longer = result->variants[0];
  std::int64_t switches = 0;
  double cpu = 0, ran = 0;
  for (const ProcessSamples& process : longer.processes) {
    if (process.waits.size() != process.blocks.size()) return "a block has no waits";
    for (const std::int64_t own : process.block_switches) switches += own;
    for (const double own : process.block_cpu) cpu += own;
    for (std::size_t b = 0; b < process.blocks.size(); ++b)
      for (std::size_t i = 0; i < process.blocks[b].size(); ++i)
        ran += process.blocks[b][i] - process.waits[b][i];
  }
  if (switches == 0 || longer.waited() < 0.02) return "nothing was seen to wait";
  if (std::abs(cpu - ran) > 0.1 * ran) return fmt::format("ran {} s, processor {} s", ran, cpu);
  if (!result->speed_ups[1]) return "no speed-up";
  const double ratio = result->speed_ups[1]->median;
  return std::abs(ratio - 4) < 1 ? "" : fmt::format("the ratio is {}, not 4", ratio);
}

// A hypervisor may take the processors away in the middle, so there are several attempts.
TEST_F(FakeBench, OtherProcessesAreSeenAndTakenOff) {
  if (!ThreadWaits().readable()) GTEST_SKIP() << "/proc/self/task/…/schedstat cannot be read";
  options_.processes = 3;
  std::string wrong = "not tried";
  for (int attempt = 0; attempt < 5 && !wrong.empty(); ++attempt)
    wrong = wrong_beside_others({variant({"burn=8000000"}), variant({"burn=2000000"})}, options_);
  EXPECT_EQ(wrong, "");
}

TEST_F(FakeBench, TheFasterOneWins) {
  const auto result =
      measure_variants({variant({"burn=4000000"}), variant({"burn=400000"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->winner, 1u);
  EXPECT_EQ(result->base, 0u);
  ASSERT_TRUE(result->speed_ups[1]);
  EXPECT_GT(result->speed_ups[1]->median, 1);
  EXPECT_TRUE(result->reached);
  EXPECT_FALSE(result->stopped);
  for (const VariantResult& own : result->variants) {
    EXPECT_EQ(own.failure, Failure::None);
    EXPECT_FALSE(own.partial);
    // There are more processes if blocks of one run were disturbed.
    ASSERT_GE(own.processes.size(), 2u);
    for (const ProcessSamples& process : own.processes) {
      EXPECT_GE(process.blocks.size(), 3u);
      EXPECT_EQ(process.block_starts.size(), process.blocks.size());
      EXPECT_FALSE(process.warmup.empty());
      EXPECT_GT(process.peak_resident_bytes, 0);
      EXPECT_GT(process.open.first_seconds, 0);
    }
    EXPECT_EQ(own.file_bytes, static_cast<std::int64_t>(fs::file_size(folder_ + "/two.onnx")));
    EXPECT_FALSE(own.energy_source.empty());
    EXPECT_EQ(own.summary().n, own.all_seconds().size());
  }
  EXPECT_FALSE(result->variants[0].difference.has_value());
  ASSERT_TRUE(result->variants[1].difference.has_value());
  EXPECT_EQ(result->variants[1].difference->max_error, 0);
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(FakeBench, WhatFailsIsARowAndTheRestGoesOn) {
  options_.limits.timeout_seconds = 3;
  const auto result = measure_variants(
      {variant({"fail=crash"}), variant(), variant({"fail=hang", "at=4"}),
       variant({"fail=oom", "at=1"}), variant({"answer=wrong"}), variant({"fail=unsupported"}),
       variant({"fail=crash", "at=400", "spin=1000000"}), variant({"spin=3000000"})},
      options_);
  ASSERT_TRUE(result) << result.error().message;
  std::vector<Failure> failures;
  for (const VariantResult& own : result->variants) {
    failures.push_back(own.failure);
    EXPECT_EQ(own.reason.empty(), own.failure == Failure::None);
  }
  EXPECT_THAT(failures,
              ElementsAre(Failure::Crashed, Failure::None, Failure::TimedOut, Failure::OutOfMemory,
                          Failure::WrongAnswer, Failure::Refused, Failure::None, Failure::None));
  EXPECT_EQ(result->base, 1u);  // the requested base does not run
  EXPECT_EQ(result->winner, 1u);
  EXPECT_THAT(result->variants[4].reason, HasSubstr("relative error"));
  EXPECT_THAT(result->variants[4].all_seconds(), IsEmpty());
  EXPECT_FALSE(result->speed_ups[4].has_value());
  EXPECT_TRUE(result->speed_ups[7].has_value());
  EXPECT_THAT(result->pareto, testing::Not(testing::Contains(4u)));
}

TEST_F(FakeBench, WhoDiesInTheMiddleIsPartial) {
  options_.block_seconds = 1e-9;  // one inference
  options_.warmup = 2;
  const auto result = measure_variants(
      {variant({"spin=1000000"}), variant({"spin=1000000", "fail=crash", "at=6"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  const VariantResult& died = result->variants[1];
  EXPECT_EQ(died.failure, Failure::Crashed);
  EXPECT_TRUE(died.partial);
  // There is the first inference, the one whose answer is checked, two to warm up, and two of three
  // that count. A block is as long as the other variant's inference, which may be two of its own.
  EXPECT_THAT(died.all_seconds(), SizeIs(testing::AllOf(testing::Ge(1u), testing::Le(2u))));
  EXPECT_EQ(result->winner, 0u);
  EXPECT_FALSE(result->variants[0].partial);
}

TEST_F(FakeBench, AWrongAnswerMayBeTimedButNeverWins) {
  options_.time_wrong = true;
  const auto result =
      measure_variants({variant({"spin=4000000"}), variant({"answer=wrong"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[1].failure, Failure::WrongAnswer);
  EXPECT_FALSE(result->variants[1].all_seconds().empty());
  EXPECT_EQ(result->winner, 0u);
  EXPECT_FALSE(result->speed_ups[1].has_value());
}

TEST_F(FakeBench, WeightsBesideTheFileAreCounted) {
  build::Builder net("Large");
  net.output("y", net.matmul(net.input("x", {2, 64}), net.weight("w", {64, 64})));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const std::string path = folder_ + "/split.onnx";
  const auto status = write_onnx(
      network->model, path, {.fill = build::random_weights(network->model, 0), .max_file = 4096});
  ASSERT_TRUE(status) << status.error().message;
  const auto outside = static_cast<std::int64_t>(fs::file_size(path + ".data"));
  EXPECT_EQ(outside, 64 * 64 * 4);
  Variant split = variant({"fail=oom"});
  split.file = path;
  const auto result = measure_variants({split}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[0].file_bytes,
            outside + static_cast<std::int64_t>(fs::file_size(path)));
}

TEST_F(FakeBench, NothingThatRunsIsNoError) {
  const auto result = measure_variants({variant({"fail=crash"}), variant({"fail=oom"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->winner.has_value());
  EXPECT_FALSE(result->reached);
}

TEST_F(FakeBench, StoppedItKeepsWhatThereIs) {
  std::atomic<bool> stop = false;
  int calls = 0;
  options_.limits.stop = &stop;
  options_.progress = [&](const BenchProgress& progress) {
    EXPECT_FALSE(progress.variant.empty());
    if (++calls == 6) stop = true;
  };
  const auto result = measure_variants({variant(), variant()}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped);
  EXPECT_FALSE(result->reached);
  for (const VariantResult& own : result->variants) {
    EXPECT_EQ(own.failure, Failure::None);
    EXPECT_TRUE(own.partial);
  }
  EXPECT_FALSE(result->variants[0].all_seconds().empty());
}

TEST_F(FakeBench, StoppedWhileAWorkerHangs) {
  std::atomic<bool> stop = false;
  options_.limits.stop = &stop;
  std::thread signal([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    stop = true;
  });
  options_.limits.timeout_seconds = 3600;
  const auto result = measure_variants({variant({"fail=hang"})}, options_);
  signal.join();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->stopped);
  EXPECT_EQ(result->variants[0].failure, Failure::None);
  EXPECT_THAT(children(), IsEmpty());
}

// A batch has no outputs to compare with those of another.
TEST_F(FakeBench, AnswersAreComparedWithinABatch) {
  Variant wrong = variant({"answer=wrong"});
  Variant twice = variant(), wrong_twice = wrong;
  twice.batch = wrong_twice.batch = 2;
  const auto result = measure_variants({variant(), wrong_twice, wrong, twice}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[0].failure, Failure::None);
  EXPECT_EQ(result->variants[2].failure, Failure::WrongAnswer);
  // Only the base could say which of the two is right, so the one most like it is believed.
  EXPECT_NE(result->variants[1].failure, result->variants[3].failure);
}

TEST_F(FakeBench, AtARateTheWaitAndTheWorkAreTold) {
  options_.load = {.kind = LoadMode::Kind::Rate, .rate = 50};
  options_.min_blocks = 2;
  options_.warmup = 1;
  const auto result =
      measure_variants({variant({"spin=1000000"}), variant({"spin=30000000"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->variants[0].utilization && result->variants[1].utilization);
  EXPECT_GE(*result->variants[1].utilization, 1.5);  // 50 inferences of 30 ms
  EXPECT_NE(result->winner, 1u);
  const std::vector<double> waits = result->variants[1].all_seconds();
  EXPECT_GT(*std::max_element(waits.begin(), waits.end()), 0.2);
}

TEST_F(FakeBench, ASustainedRunTellsItsDrift) {
  options_.load = {.kind = LoadMode::Kind::Sustained, .seconds = 3};
  options_.block_seconds = 1e-9;
  options_.warmup = 1;
  const auto result = measure_variants({variant({"spin=1000000"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_THAT(result->variants[0].processes, SizeIs(1));
  EXPECT_TRUE(result->variants[0].drift.has_value());
  EXPECT_GE(result->seconds, 2);
}

TEST_F(FakeBench, AMixTakesAllItsInputs) {
  HostTensor other{"x", DType::F32, {2, 3}, std::vector<std::byte>(24, std::byte{1})};
  ASSERT_TRUE(write_npz(folder_ + "/z.npz", std::vector<HostTensor>{other}));
  Variant mix = variant();
  mix.mix = {folder_ + "/z.npz"};
  Worker worker = start(mix);
  ASSERT_TRUE(worker.open());
  EXPECT_THAT(worker.run(5, 10)->seconds, SizeIs(5));
  mix.mix = {folder_ + "/none.npz"};
  EXPECT_EQ(start(mix).open().error().failure, Failure::Refused);
}

TEST_F(FakeBench, AVariantAgainstItself) {
  options_.max_seconds = 3;
  options_.warmup = 2;
  const auto check = run_aa(variant({"spin=500000"}), 50, options_);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_EQ(check->trials, 50);
  EXPECT_GE(check->pairs, 2);
  EXPECT_GE(check->false_rate, check->false_rate_interval.low);
  EXPECT_LE(check->false_rate, check->false_rate_interval.high);
  EXPECT_GT(check->smallest, 0);
  const auto failed = run_aa(variant({"fail=crash"}), 10, options_);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("SIGABRT"));
}

TEST_F(FakeBench, OptionsThatMakeNoSenseAreRefused) {
  EXPECT_FALSE(measure_variants({}, options_));
  options_.base = 1;
  EXPECT_FALSE(measure_variants({variant()}, options_));
  options_.base = 0;
  options_.load.kind = LoadMode::Kind::Rate;
  const auto rate = measure_variants({variant()}, options_);
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace strata
