#include "strata/machine/contention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "strata/base/scratch_folder.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

TEST(SchedStat, IsThreeNumbers) {
  const auto stat = parse_schedstat("1836191735 12340784 612\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->cpu_ns, 1836191735);
  EXPECT_EQ(stat->wait_ns, 12340784);
  for (const char* wrong : {"", "\n", "1 2", "a b c", "-1 2 3", "1 -2 3", "1,2,3"})
    EXPECT_FALSE(parse_schedstat(wrong)) << wrong;
}

TEST(ProcStat, StealIsTheEighthNumber) {
  const std::string text = "cpu  41753 0 7622 17343 1411 0 86 94 0 0\ncpu0 1 2 3 4 5 6 7 8\n";
  EXPECT_DOUBLE_EQ(steal_seconds(text, 100), 0.94);
  EXPECT_DOUBLE_EQ(steal_seconds("cpu  1 2 3 4\ncpu0 1 2 3 4 5 6 7 8\n", 100), -1);
  EXPECT_DOUBLE_EQ(steal_seconds("", 100), -1);
}

TEST(Pressure, IsTheShareOfTheLastTenSeconds) {
  EXPECT_DOUBLE_EQ(pressure_share("some avg10=34.93 avg60=12.93 avg300=4.40 total=20173613\n"),
                   0.3493);
  EXPECT_DOUBLE_EQ(pressure_share("full avg10=0.00\n"), -1);
}

TEST(Contention, AddsUpWhatIsKnown) {
  Contention sum;
  sum.add({1, 0.5, 3, 0.25, 0});
  sum.add({1, 0.5, 4, 0.5, 0.01});
  EXPECT_DOUBLE_EQ(sum.wall_seconds, 2);
  EXPECT_EQ(sum.involuntary, 7);
  EXPECT_DOUBLE_EQ(sum.wait_seconds, 0.75);
  EXPECT_DOUBLE_EQ(sum.steal_seconds, 0.01);
  sum.add({1, 1, 0, -1, 0});
  EXPECT_DOUBLE_EQ(sum.wait_seconds, -1);  // known for a part only, so not known for the whole
}

TEST(Contention, SaysWhenAProcessWasPushedAside) {
  EXPECT_FALSE((Contention{10, 9.9, 2000, 0.1}.disturbed(1)));  // switches that cost nothing
  EXPECT_TRUE((Contention{10, 9.9, 20, 0.6}.disturbed(2)));
}

// A made-up /proc/self/task.
class Tasks : public testing::Test {
 protected:
  void write(const std::string& thread, const std::string& text) {
    fs::create_directories(folder_ / thread);
    std::ofstream(folder_ / thread / "schedstat") << text;
  }
  ScratchFolder scratch_ = ScratchFolder::create().value();
  fs::path folder_ = scratch_.path();
};

TEST_F(Tasks, WaitsOfAllThreadsAddUpAlsoOfThoseThatEnd) {
  write("11", "5 1000000000 3\n");
  write("12", "5 500000000 3\n");
  ThreadWaits waits(folder_);
  EXPECT_TRUE(waits.readable());
  EXPECT_DOUBLE_EQ(waits.seconds(), 1.5);
  write("13", "5 250000000 3\n");
  EXPECT_DOUBLE_EQ(waits.seconds(), 1.5);  // not looked for yet
  waits.look_for_threads();
  EXPECT_EQ(waits.threads(), 3u);
  EXPECT_DOUBLE_EQ(waits.seconds(), 1.75);
  write("12", "");  // what the file of a thread that has ended contains
  EXPECT_DOUBLE_EQ(waits.seconds(), 1.75);
  EXPECT_EQ(waits.threads(), 2u);
  write("11", "5 2000000000 3\n");
  EXPECT_DOUBLE_EQ(waits.seconds(), 2.75);
}

TEST_F(Tasks, WithoutSchedstatTheProcessorTimeStandsForIt) {
  ThreadWaits waits(folder_);
  EXPECT_FALSE(waits.readable());
  RunMeter one(1, folder_);
  one.before();
  one.after(10);  // seconds during which this process did next to nothing
  const RunContention alone = one.finish();
  EXPECT_FALSE(alone.waits_read);
  ASSERT_THAT(alone.waits, testing::SizeIs(1));
  EXPECT_GT(alone.waits[0], 9);
}

// A group of short runs is read as one; its waiting is charged to the longest run.
TEST_F(Tasks, ShortRunsAreReadInGroups) {
  write("11", "5 0 3\n");
  RunMeter meter(2, folder_);
  for (int run = 0; run < 4; ++run) {
    meter.before();
    if (run == 2) write("11", "5 700000 3\n");
    meter.after(run == 2 ? 0.9e-3 : 0.2e-3);
  }
  const RunContention out = meter.finish();
  EXPECT_TRUE(out.waits_read);
  EXPECT_THAT(out.waits, testing::ElementsAre(0, 0, testing::DoubleNear(0.7e-3, 1e-9), 0));
  EXPECT_THAT(out.cpu, testing::SizeIs(4));
  EXPECT_THAT(out.switches, testing::SizeIs(4));
  EXPECT_THAT(meter.finish().waits, testing::IsEmpty());
}

// The process waited for 2020 µs. A run of 2093 µs among runs of 342.7 µs can have waited for
// 2093 - 342.7 = 1750.3 µs of that; the rest was between runs.
TEST_F(Tasks, WaitingBetweenShortRunsIsTakenOffNone) {
  write("11", "5 0 3\n");
  RunMeter meter(1, folder_);
  const double wall[] = {342.7e-6, 344e-6, 2093e-6};
  for (int run = 0; run < 3; ++run) {
    meter.before();
    if (run == 2) write("11", "5 2020000 3\n");
    meter.after(wall[run]);
  }
  const RunContention out = meter.finish();
  ASSERT_THAT(out.waits, testing::SizeIs(3));
  EXPECT_EQ(out.waits[0], 0);
  EXPECT_NEAR(out.waits[1], 344e-6 - 342.7e-6, 1e-9);
  EXPECT_NEAR(out.waits[2], 1750.3e-6, 1e-9);
}

// Both runs of a group waited, and the shortest of an earlier group shows how long they take.
TEST_F(Tasks, SeveralShortRunsOfAGroupMayHaveWaited) {
  write("11", "5 0 3\n");
  RunMeter meter(1, folder_);
  const double wall[] = {0.6e-3, 0.61e-3, 0.9e-3, 1.1e-3};
  for (int run = 0; run < 4; ++run) {
    meter.before();
    if (run == 3) write("11", "5 700000 3\n");
    meter.after(wall[run]);
  }
  const RunContention out = meter.finish();
  EXPECT_THAT(out.waits, testing::ElementsAre(0, 0, testing::DoubleNear(0.2e-3, 1e-9),
                                              testing::DoubleNear(0.5e-3, 1e-9)));
}

TEST(RunMeter, FindsThreadsThatARunStarts) {
  ThreadWaits waits;
  const std::size_t before = waits.threads();
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  waits.look_for_threads();
  EXPECT_GT(waits.threads(), before);
  stop = true;
  other.join();
  EXPECT_GE(waits.seconds(), 0);
}

void burn_for(double seconds) {
  timespec now{};
  const auto cpu = [&] {
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double end = cpu() + seconds;
  while (cpu() < end) {
  }
}

// Another process on the same processor takes half of the time, and the meter sees that.
TEST(RunMeter, SeesWhoSharesItsProcessor) {
  if (!ThreadWaits().readable()) GTEST_SKIP() << "/proc/self/task/…/schedstat cannot be read";
  cpu_set_t before, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &before)) {
      CPU_SET(cpu, &one);
      break;
    }
  if (::sched_setaffinity(0, sizeof one, &one) != 0) GTEST_SKIP() << "may not choose a processor";
  const pid_t other = ::fork();
  if (other == 0)
    for (volatile int i = 0;;) i = i + 1;
  RunMeter meter(1);
  meter.before();
  const auto start = std::chrono::steady_clock::now();
  burn_for(0.2);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  meter.after(wall.count());
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  ::sched_setaffinity(0, sizeof before, &before);
  const RunContention out = meter.finish();
  ASSERT_THAT(out.waits, testing::SizeIs(1));
  EXPECT_GT(out.waits[0], 0.02);
  EXPECT_GT(out.switches[0], 0);
  EXPECT_NEAR(out.cpu[0], 0.2, 0.02);
  // The rest is the time that it ran, up to a few context switches.
  EXPECT_NEAR(wall.count() - out.waits[0], 0.2, 0.03);
}

}  // namespace
}  // namespace strata
