// The fake engine's promises: measuring is tested on it, so it must be exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <time.h>

#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "small_models.h"
#include "strata/read/read.h"

namespace strata {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 2 rows of 3 numbers, multiplied by a 3 × 4 matrix, and a Relu.
std::string two_nodes() {
  build::Builder net("Two");
  const build::Var x = net.input("x", {2, 3});
  const build::Var y = net.matmul(x, net.weight("w", {3, 4}));
  net.output("y", net.relu(y));
  return test::bytes_of(std::move(net));
}

Session open(const SessionOptions& options) {
  auto engine = load_engine("fake");
  EXPECT_TRUE(engine) << engine.error().message;
  static const std::string kModel = two_nodes();
  auto session = engine->open(ModelBytes{kModel}, options);
  EXPECT_TRUE(session) << session.error().message;
  EXPECT_TRUE(session->bind(test::inputs_for(session->inputs())));
  return std::move(session.value());
}

std::vector<std::int64_t> durations(Session& session) {
  std::vector<std::int64_t> all;
  const auto trace = session.run_traced({});
  EXPECT_TRUE(trace) << trace.error().message;
  if (trace)
    for (const Kernel& kernel : trace->kernels) all.push_back(kernel.duration_ns);
  return all;
}

// MatMul: 24 MACs, 48 FLOP; reads 6 + 12, writes 8 numbers of 4 bytes: 104.
// Relu: 8 FLOP; reads and writes 8 numbers: 64.
constexpr std::int64_t kMatMul = 1000 + 15, kRelu = 1000 + 7;

TEST(FakeEngine, DurationsFollowFromCosts) {
  Session session = open({.optimization = STRATA_OPT_NONE, .trace_time = true});
  EXPECT_THAT(durations(session), ElementsAre(kMatMul, kRelu));
  EXPECT_THAT(durations(session), ElementsAre(kMatMul, kRelu));
  Session fused = open({.optimization = STRATA_OPT_ALL, .trace_time = true});
  EXPECT_THAT(durations(fused), ElementsAre(1000 + 22));
}

TEST(FakeEngine, ItsClockMovesWithRuns) {
  std::int64_t clock = 7;
  Session session =
      open({.optimization = STRATA_OPT_NONE,
            .options = {fmt::format("clock={}", reinterpret_cast<std::uintptr_t>(&clock)),
                        "outside=500"}});
  ASSERT_TRUE(session.run());
  EXPECT_EQ(clock, 7 + 500 + kMatMul + kRelu);
}

TEST(FakeEngine, ProbesCostInTracedSessionsOnly) {
  std::int64_t clock = 0;
  const std::string at = fmt::format("clock={}", reinterpret_cast<std::uintptr_t>(&clock));
  Session traced = open({.optimization = STRATA_OPT_NONE,
                         .trace_time = true,
                         .options = {at, "probe=100", "outside=0"}});
  EXPECT_THAT(durations(traced), ElementsAre(kMatMul + 100, kRelu + 100));
  clock = 0;
  Session plain =
      open({.optimization = STRATA_OPT_NONE, .options = {at, "probe=100", "outside=0"}});
  ASSERT_TRUE(plain.run());
  EXPECT_EQ(clock, kMatMul + kRelu);
}

TEST(FakeEngine, WarmsUp) {
  Session session =
      open({.optimization = STRATA_OPT_NONE, .trace_time = true, .options = {"warmup=2"}});
  EXPECT_EQ(durations(session)[0], 2030);  // twice as long, then 1.5 times, then the usual time
  EXPECT_EQ(durations(session)[0], 1523);
  EXPECT_EQ(durations(session)[0], 1015);
}

TEST(FakeEngine, NoiseIsBoundedAndTheSameForASeed) {
  const auto run = [](const char* seed) {
    Session session = open({.optimization = STRATA_OPT_NONE,
                            .trace_time = true,
                            .options = {"noise=0.1", fmt::format("seed={}", seed)}});
    std::vector<std::int64_t> all;
    all.reserve(100);
    for (int i = 0; i < 100; ++i) all.push_back(durations(session)[0]);
    return all;
  };
  const auto one = run("1");
  EXPECT_EQ(run("1"), one);
  EXPECT_NE(run("2"), one);
  const auto [least, most] = std::minmax_element(one.begin(), one.end());
  EXPECT_GE(*least, 913);
  EXPECT_LE(*most, 1117);
  EXPECT_LT(*least, 950);
  EXPECT_GT(*most, 1080);
}

// Twice the steps take twice the processor time, whatever else runs.
TEST(FakeEngine, BurnsAsManyStepsAsAskedFor) {
  const auto least_cpu = [](const char* option) {
    SessionOptions options;
    options.options = {option};
    Session session = open(options);
    double least = 1e9;
    for (int i = 0; i < 5; ++i) {
      timespec before{}, after{};
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
      EXPECT_TRUE(session.run());
      ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
      least = std::min(least, static_cast<double>(after.tv_sec - before.tv_sec) +
                                  1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec));
    }
    return least;
  };
  EXPECT_NEAR(least_cpu("burn=20000000") / least_cpu("burn=5000000"), 4, 1);
  EXPECT_GT(least_cpu("walk=50000000"), least_cpu("walk=0"));
}

TEST(FakeEngine, FailsAsAskedFor) {
  Session session = open({.options = {"fail=error", "at=1"}});
  EXPECT_TRUE(session.run());
  const Status failed = session.run();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("as asked for"));
  EXPECT_TRUE(session.run());

  Session out_of_memory = open({.options = {"fail=oom"}});
  const Status oom = out_of_memory.run();
  ASSERT_FALSE(oom);
  EXPECT_THAT(oom.error().message, HasSubstr("memory"));

  Session crashing = open({.options = {"fail=crash"}});
  EXPECT_EXIT((void)crashing.run(), ::testing::KilledBySignal(SIGABRT), "");
}

TEST(FakeEngine, HangsUntilCancelled) {
  Session session = open({.options = {"fail=hang"}});
  std::thread run([&] { EXPECT_FALSE(session.run()); });
  session.cancel();
  run.join();
  EXPECT_TRUE(session.run());
}

TEST(FakeEngine, RefusesValuesThatAreNone) {
  auto engine = load_engine("fake");
  ASSERT_TRUE(engine);
  for (const char* option : {"noise=2", "noise=", "seed=x", "warmup=-1"}) {
    const auto session = engine->open(ModelBytes{two_nodes()}, {.options = {option}});
    ASSERT_FALSE(session) << option;
    EXPECT_THAT(session.error().message, HasSubstr("is not a value"));
  }
}

}  // namespace
}  // namespace strata
