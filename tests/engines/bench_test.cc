// Workers and benchmarks of them, on the fake engine: real processes that do what should
// not happen. Nothing here looks at how long anything took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "measure/npz_write.h"
#include "small_models.h"
#include "strata/measure/bench.h"
#include "strata/write/onnx.h"
#include "strata/zoo/builder.h"
#include "strata/zoo/weights.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<pid_t> children() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", ::getpid()));
  std::vector<pid_t> all;
  for (pid_t pid = 0; file >> pid;) all.push_back(pid);
  return all;
}

// Ended, though perhaps nobody has asked how.
bool is_gone(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return true;
  return text.find(") Z ") != text.npos;
}

class FakeBench : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto engine = load_engine("fake"); !engine) GTEST_SKIP() << engine.error().message;
    folder_ = (fs::temp_directory_path() / "strata_bench_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    zoo::Builder net("Two");
    const zoo::Var x = net.input("x", {2, 3});
    net.output("y", net.relu(net.matmul(x, net.weight("w", {3, 4}))));
    std::ofstream(folder_ + "/two.onnx", std::ios::binary) << test::bytes_of(std::move(net));
    HostTensor input{"x", DType::F32, {2, 3}, std::vector<std::byte>(24)};
    ASSERT_TRUE(write_npz(folder_ + "/x.npz", std::vector<HostTensor>{input}));
    options_.program = STRATA_BINARY;
    options_.max_seconds = 20;
    options_.until = 1e9;  // after the first look
    options_.processes = 2;
    options_.min_blocks = 6;
    options_.block_seconds = 0.005;
    options_.limits.timeout_seconds = 20;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  Variant variant(std::vector<std::string> engine_options = {}) const {
    Variant out;
    out.model = "two";
    out.file = folder_ + "/two.onnx";
    out.inputs = folder_ + "/x.npz";
    out.engine = "fake";
    out.session.threads = 1;
    out.session.options = std::move(engine_options);
    return out;
  }
  Worker start(const Variant& what) {
    auto worker = Worker::start(what, options_.limits, STRATA_BINARY);
    EXPECT_TRUE(worker) << worker.error().reason;
    return std::move(*worker);
  }

  std::string folder_;
  BenchOptions options_;
};

TEST_F(FakeBench, AWorkerDoesWhatItIsAskedFor) {
  Worker worker = start(variant({"spin=100000"}));
  const auto open = worker.open();
  ASSERT_TRUE(open) << open.error().reason;
  EXPECT_THAT(open->engine, testing::StartsWith("fake "));
  EXPECT_GE(open->first_seconds, 100e-6);
  EXPECT_GT(open->resident_bytes, 1 << 20);
  const auto outputs = worker.outputs();
  ASSERT_TRUE(outputs) << outputs.error().reason;
  ASSERT_THAT(*outputs, SizeIs(1));
  EXPECT_EQ((*outputs)[0].name, "y");
  EXPECT_THAT((*outputs)[0].dims, ElementsAre(2, 4));
  const auto block = worker.run(7, 100);
  ASSERT_TRUE(block) << block.error().reason;
  EXPECT_THAT(block->seconds, SizeIs(7));
  for (const double seconds : block->seconds) EXPECT_GE(seconds, 100e-6);
  EXPECT_GE(block->peak_resident_bytes, open->resident_bytes / 2);
  EXPECT_GT(block->contention.wall_seconds, 7 * 100e-6);
  // At least one, though the time is over.
  EXPECT_THAT(worker.run(7, 0)->seconds, SizeIs(1));
}

// Asked for at once, the third waits for two; asked for late, nothing waits.
TEST_F(FakeBench, TheWaitInTheQueueCounts) {
  Worker worker = start(variant({"spin=2000000"}));
  ASSERT_TRUE(worker.open());
  const auto block = worker.run_at({0, 0, 0, 0.5});
  ASSERT_TRUE(block) << block.error().reason;
  ASSERT_THAT(block->seconds, SizeIs(4));
  ASSERT_THAT(block->service, SizeIs(4));
  EXPECT_GE(block->seconds[2], 3 * 2e-3);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(block->seconds[i], block->service[i]);
}

TEST_F(FakeBench, InputsOfAnotherFormatGoByOrder) {
  HostTensor input{"input.1", DType::F32, {2, 3}, std::vector<std::byte>(24)};
  ASSERT_TRUE(write_npz(folder_ + "/x.npz", std::vector<HostTensor>{input}));
  EXPECT_TRUE(start(variant()).open());
  input.dims = {3, 3};
  input.data.resize(36);
  ASSERT_TRUE(write_npz(folder_ + "/x.npz", std::vector<HostTensor>{input}));
  const auto open = start(variant()).open();
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().failure, Failure::Refused);
  EXPECT_THAT(open.error().reason, HasSubstr("x"));
}

TEST_F(FakeBench, EveryWayToFailHasItsName) {
  const auto failure_of = [&](std::vector<std::string> engine_options) {
    const auto open = start(variant(std::move(engine_options))).open();
    EXPECT_FALSE(open);
    return open ? WorkerError{} : open.error();
  };
  const WorkerError crash = failure_of({"fail=crash"});
  EXPECT_EQ(crash.failure, Failure::Crashed);
  EXPECT_THAT(crash.reason, HasSubstr("SIGABRT (Aborted)"));
  const WorkerError refused = failure_of({"fail=unsupported"});
  EXPECT_EQ(refused.failure, Failure::Refused);
  EXPECT_THAT(refused.reason, HasSubstr("no kernels for anything, as asked for"));
  const WorkerError memory = failure_of({"fail=oom"});
  EXPECT_EQ(memory.failure, Failure::OutOfMemory);
  EXPECT_THAT(memory.reason, HasSubstr("no memory for a tensor"));
  options_.limits.timeout_seconds = 0.5;
  const WorkerError hang = failure_of({"fail=hang"});
  EXPECT_EQ(hang.failure, Failure::TimedOut);
  EXPECT_EQ(hang.reason, "gave no answer in 0.5 s; it was ended");
  Variant unknown = variant();
  unknown.engine = "nosuch";
  const auto none = start(unknown).open();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().reason, "no engine \"nosuch\" on this machine");
  EXPECT_THAT(children(), IsEmpty());
}

TEST_F(FakeBench, WhoEatsTheMemoryIsStoppedByTheLimit) {
  options_.limits.memory_bytes = std::int64_t{1} << 30;
  Worker worker = start(variant({"fail=eat", "at=1"}));
  const auto open = worker.open();
  ASSERT_TRUE(open) << open.error().reason;
  const auto block = worker.run(1, 1);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().failure, Failure::OutOfMemory) << block.error().reason;
}

TEST_F(FakeBench, AProgramThatIsNoWorkerIsNamed) {
  for (const char* program : {"/bin/true", "/bin/nosuch"}) {
    auto worker = Worker::start(variant(), options_.limits, program);
    ASSERT_TRUE(worker);
    const auto open = worker->open();
    ASSERT_FALSE(open);
    EXPECT_EQ(open.error().failure, Failure::Crashed);
    EXPECT_THAT(open.error().reason, testing::AnyOf(HasSubstr("exit code 0 and no answer"),
                                                    HasSubstr("could not be started")));
  }
}

// Ctrl-C at a terminal reaches all processes; the parent collects first.
TEST_F(FakeBench, AWorkerOutlivesCtrlC) {
  Worker worker = start(variant());
  ASSERT_TRUE(worker.open());
  ASSERT_THAT(children(), SizeIs(1));
  ::kill(children().front(), SIGINT);
  EXPECT_TRUE(worker.run(3, 1));
}

TEST_F(FakeBench, NoWorkerOutlivesItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto worker = Worker::start(variant({"fail=hang", "at=1"}), options_.limits, STRATA_BINARY);
    if (!worker || !worker->open()) ::_exit(1);
    const pid_t own = children().front();
    if (::write(ends[1], &own, sizeof own) != sizeof own) ::_exit(1);
    (void)worker->run(1, 1);
    ::_exit(0);
  }
  ::close(ends[1]);
  pid_t worker = 0;
  ASSERT_EQ(::read(ends[0], &worker, sizeof worker), ssize_t{sizeof worker});
  EXPECT_FALSE(is_gone(worker));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int i = 0; i < 500 && !is_gone(worker); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(is_gone(worker));
  ::close(ends[0]);
}

// Threads that look for work after a run would take it from the next variant.
TEST_F(FakeBench, ThreadsOfOnnxRuntimeRestBetweenBlocks) {
  if (const auto engine = load_engine("onnxruntime"); !engine) GTEST_SKIP();
  Variant two = variant();
  two.engine = "onnxruntime";
  two.session.threads = 2;
  two.session.options = {"spin=1"};
  Worker worker = start(two);
  const auto open = worker.open();
  ASSERT_TRUE(open) << open.error().reason;
  const auto used = [pid = children().front()] {
    std::int64_t ns = 0;
    for (const auto& task : fs::directory_iterator(fmt::format("/proc/{}/task", pid))) {
      std::ifstream one(task.path() / "schedstat");
      std::int64_t own = 0;
      if (one >> own) ns += own;
    }
    return ns;
  };
  for (int block = 0; block < 3; ++block) {
    ASSERT_TRUE(worker.run(20, 1));
    const std::int64_t before = used();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_LT(used() - before, 1'000'000) << "ns of 50 ms, in which nothing was asked for";
  }
}

// ----- benchmarks

TEST_F(FakeBench, TheFasterOneWins) {
  const auto result = run_bench({variant({"spin=4000000"}), variant({"spin=400000"})}, options_);
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
    ASSERT_THAT(own.processes, SizeIs(2));
    for (const ProcessSamples& process : own.processes) {
      EXPECT_THAT(process.blocks, SizeIs(3));
      EXPECT_THAT(process.block_starts, SizeIs(3));
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
  const auto result = run_bench(
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
  EXPECT_EQ(result->base, 1u);  // the one that was asked for does not run
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
  const auto result = run_bench(
      {variant({"spin=1000000"}), variant({"spin=1000000", "fail=crash", "at=6"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  const VariantResult& died = result->variants[1];
  EXPECT_EQ(died.failure, Failure::Crashed);
  EXPECT_TRUE(died.partial);
  // The first, the one whose answer is checked, two to warm up; two of three that count.
  EXPECT_THAT(died.all_seconds(), SizeIs(2));
  EXPECT_EQ(result->winner, 0u);
  EXPECT_FALSE(result->variants[0].partial);
}

TEST_F(FakeBench, AWrongAnswerMayBeTimedButNeverWins) {
  options_.time_wrong = true;
  const auto result = run_bench({variant({"spin=4000000"}), variant({"answer=wrong"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[1].failure, Failure::WrongAnswer);
  EXPECT_FALSE(result->variants[1].all_seconds().empty());
  EXPECT_EQ(result->winner, 0u);
  EXPECT_FALSE(result->speed_ups[1].has_value());
}

TEST_F(FakeBench, WeightsBesideTheFileAreCounted) {
  zoo::Builder net("Large");
  net.output("y", net.matmul(net.input("x", {2, 64}), net.weight("w", {64, 64})));
  auto network = std::move(net).finish();
  ASSERT_TRUE(network) << network.error().message;
  const std::string path = folder_ + "/split.onnx";
  const auto status = write_onnx(
      network->model, path, {.fill = zoo::random_weights(network->model, 0), .max_file = 4096});
  ASSERT_TRUE(status) << status.error().message;
  const auto outside = static_cast<std::int64_t>(fs::file_size(path + ".data"));
  EXPECT_EQ(outside, 64 * 64 * 4);
  Variant split = variant({"fail=oom"});
  split.file = path;
  const auto result = run_bench({split}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[0].file_bytes,
            outside + static_cast<std::int64_t>(fs::file_size(path)));
}

TEST_F(FakeBench, NothingThatRunsIsNoError) {
  const auto result = run_bench({variant({"fail=crash"}), variant({"fail=oom"})}, options_);
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
  const auto result = run_bench({variant(), variant()}, options_);
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
  const auto result = run_bench({variant({"fail=hang"})}, options_);
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
  const auto result = run_bench({variant(), wrong_twice, wrong, twice}, options_);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->variants[0].failure, Failure::None);
  EXPECT_EQ(result->variants[2].failure, Failure::WrongAnswer);
  // Which of the two is right only the base could say: the one most like it is believed.
  EXPECT_NE(result->variants[1].failure, result->variants[3].failure);
}

TEST_F(FakeBench, AtARateTheWaitAndTheWorkAreTold) {
  options_.load = {.kind = LoadMode::Kind::Rate, .rate = 50};
  options_.min_blocks = 2;
  options_.warmup = 1;
  const auto result = run_bench({variant({"spin=1000000"}), variant({"spin=30000000"})}, options_);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_TRUE(result->variants[0].utilization && result->variants[1].utilization);
  EXPECT_GE(*result->variants[1].utilization, 1.5);  // 50 times 30 ms
  EXPECT_NE(result->winner, 1u);
  const std::vector<double> waits = result->variants[1].all_seconds();
  EXPECT_GT(*std::max_element(waits.begin(), waits.end()), 0.2);
}

TEST_F(FakeBench, ASustainedRunTellsItsDrift) {
  options_.load = {.kind = LoadMode::Kind::Sustained, .seconds = 3};
  options_.block_seconds = 1e-9;
  options_.warmup = 1;
  const auto result = run_bench({variant({"spin=1000000"})}, options_);
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
  EXPECT_FALSE(run_bench({}, options_));
  options_.base = 1;
  EXPECT_FALSE(run_bench({variant()}, options_));
  options_.base = 0;
  options_.load.kind = LoadMode::Kind::Rate;
  const auto rate = run_bench({variant()}, options_);
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().kind, ErrorKind::Usage);
}

}  // namespace
}  // namespace strata
