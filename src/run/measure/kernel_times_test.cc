#include "measure/kernel_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace strata {
namespace {

// Times of kernels on a processor that others want as well: after every 2 to 4 ms of work, the
// process waits for 4 to 8 ms.
struct SharedProcessor {
  std::mt19937 random{1};
  double until_wait = 0.001;
  double waited = 0;

  double run(double work) {
    double wall = work;
    while (work > until_wait) {
      work -= until_wait;
      const double wait = std::uniform_real_distribution(0.004, 0.008)(random);
      wall += wait;
      waited += wait;
      until_wait = std::uniform_real_distribution(0.002, 0.004)(random);
    }
    until_wait -= work;
    return wall;
  }
};

// Long kernels wait in every run, so that even their shortest time is too long. What is taken off
// must come from these and not from short kernels, which had no wait in most runs.
TEST(KernelTimes, WaitingIsTakenOffTheKernelsThatWaited) {
  const std::vector<double> work = {0.0025, 0.4, 0.007, 0.6, 0.0008, 0.2};
  constexpr std::size_t kRuns = 12;
  SharedProcessor processor;
  std::vector<std::vector<double>> times(work.size());
  std::vector<double> walls, waits;
  for (std::size_t run = 0; run < kRuns; ++run) {
    processor.waited = 0;
    for (std::size_t k = 0; k < work.size(); ++k) times[k].push_back(processor.run(work[k]));
    waits.push_back(processor.waited);
    walls.push_back(std::accumulate(work.begin(), work.end(), 0.0) + processor.waited);
  }
  Timing timing;
  KernelCollector collector(timing);
  for (std::vector<double>& seconds : times) collector.add(Kernel{}, std::move(seconds));
  collector.finish(walls, waits, std::vector<bool>(kRuns, true), 0);
  for (std::size_t k = 0; k < work.size(); ++k) {
    std::vector<double>& seconds = timing.kernels[k].seconds;
    ASSERT_EQ(seconds.size(), kRuns);
    std::sort(seconds.begin(), seconds.end());
    EXPECT_NEAR(seconds[kRuns / 2] / work[k], 1, 0.15) << k;
  }
}

}  // namespace
}  // namespace strata
