#include "kernel_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace strata::openvino {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

// One run is known exactly but for its cut: 7 + 3 µs of 11 µs leave half a microsecond for each.
TEST(OpenVinoTimes, TheFirstRunIsWhatItsCounterSays) {
  EXPECT_THAT(run_times({}, {1, {7, 3, -1}}, 11'000), ElementsAre(7500, 3500, -1));
}

// A cut never takes more than a microsecond: the rest of the run is not a kernel's time.
TEST(OpenVinoTimes, TimeBetweenKernelsStaysOutside) {
  EXPECT_THAT(run_times({}, {1, {7, 3}}, 50'000), ElementsAre(8000, 4000));
}

TEST(OpenVinoTimes, KernelsNeverTakeLongerThanTheirRun) {
  EXPECT_THAT(run_times({}, {1, {30, 10}}, 20'000), ElementsAre(15'000, 5'000));
}

// Twenty runs of 10.7, 3.2 and 250.9 µs, as OpenVINO counts them: the means over the runs come out,
// though each counter is cut twice.
TEST(OpenVinoTimes, MeansOverRunsAreRight) {
  const std::vector<double> real = {10.7, 3.2, 250.9};
  const double run_ns = 1000 * std::accumulate(real.begin(), real.end(), 0.0);
  std::vector<std::int64_t> sums(real.size());
  std::vector<double> found(real.size());
  Counters before;
  constexpr int kRuns = 20;
  for (int run = 1; run <= kRuns; ++run) {
    Counters after{static_cast<std::uint64_t>(run), {}};
    for (std::size_t i = 0; i < real.size(); ++i) {
      sums[i] += static_cast<std::int64_t>(real[i]);  // the cut of the run
      after.mean_us.push_back(sums[i] / run);         // the cut of the mean
    }
    const auto times = run_times(before, after, run_ns);
    for (std::size_t i = 0; i < real.size(); ++i) found[i] += times[i] / kRuns / 1000;
    before = after;
  }
  for (std::size_t i = 0; i < real.size(); ++i) EXPECT_THAT(found[i], DoubleNear(real[i], 1.0));
}

}  // namespace
}  // namespace strata::openvino
