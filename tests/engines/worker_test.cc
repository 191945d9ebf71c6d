// Workers on the fake engine: real processes that misbehave. No test here checks how long anything
// took.
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "fake_bench.h"

namespace strata {
namespace {

namespace fs = std::filesystem;
using test::children;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using FakeWorker = test::FakeBench;

// True if the process has ended, even if nobody has waited for it yet.
bool is_gone(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text)) return true;
  return text.find(") Z ") != text.npos;
}

TEST_F(FakeWorker, AWorkerDoesWhatItIsAskedFor) {
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
  // At least one inference is run, although the time is over.
  EXPECT_THAT(worker.run(7, 0)->seconds, SizeIs(1));
}

// If all are requested at once, the third waits for two; if they are requested late, nothing waits.
TEST_F(FakeWorker, TheWaitInTheQueueCounts) {
  Worker worker = start(variant({"spin=2000000"}));
  ASSERT_TRUE(worker.open());
  const auto block = worker.run_at({0, 0, 0, 0.5});
  ASSERT_TRUE(block) << block.error().reason;
  ASSERT_THAT(block->seconds, SizeIs(4));
  ASSERT_THAT(block->service, SizeIs(4));
  EXPECT_GE(block->seconds[2], 3 * 2e-3);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_GE(block->seconds[i], block->service[i]);
}

TEST_F(FakeWorker, InputsOfAnotherFormatGoByOrder) {
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

TEST_F(FakeWorker, EveryWayToFailHasItsName) {
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

// Sanitizers take more address space than any limit allows.
#if !defined(STRATA_SANITIZED)
TEST_F(FakeWorker, WhoEatsTheMemoryIsStoppedByTheLimit) {
  options_.limits.memory_bytes = std::int64_t{1} << 30;
  Worker worker = start(variant({"fail=eat", "at=1"}));
  const auto open = worker.open();
  ASSERT_TRUE(open) << open.error().reason;
  const auto block = worker.run(1, 1);
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().failure, Failure::OutOfMemory) << block.error().reason;
}
#endif

TEST_F(FakeWorker, AProgramThatIsNoWorkerIsNamed) {
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

// Ctrl-C at a terminal reaches all processes, and so does the signal that ends a job; the parent
// collects results first.
TEST_F(FakeWorker, AWorkerOutlivesCtrlCAndTermination) {
  Worker worker = start(variant());
  ASSERT_TRUE(worker.open());
  ASSERT_THAT(children(), SizeIs(1));
  ::kill(children().front(), SIGINT);
  ::kill(children().front(), SIGTERM);
  EXPECT_TRUE(worker.run(3, 1));
}

TEST_F(FakeWorker, NoWorkerOutlivesItsParent) {
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
TEST_F(FakeWorker, ThreadsOfOnnxRuntimeRestBetweenBlocks) {
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

}  // namespace
}  // namespace strata
