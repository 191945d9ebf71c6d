#include "kernel_times.h"

#include <algorithm>

namespace strata::openvino {

namespace {

// The sum of all runs, in the middle of what it can be.
double sum_us(const Counters& counters, std::size_t kernel) {
  if (counters.runs == 0 || kernel >= counters.mean_us.size() || counters.mean_us[kernel] < 0)
    return 0;
  const auto runs = static_cast<double>(counters.runs);
  return static_cast<double>(counters.mean_us[kernel]) * runs + (runs - 1) / 2;
}

}  // namespace

std::vector<double> run_times(const Counters& before, const Counters& after, double run_ns) {
  constexpr double kMicrosecond = 1000;
  std::vector<double> times(after.mean_us.size(), -1);
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (after.mean_us[i] < 0) continue;
    times[i] = std::max(0.0, (sum_us(after, i) - sum_us(before, i)) * kMicrosecond);
    sum += times[i];
    ++count;
  }
  if (count == 0) return times;
  const double added = std::clamp((run_ns - sum) / count, 0.0, kMicrosecond);
  const double all = sum + added * count;
  const double scale = all > run_ns ? run_ns / all : 1;
  for (double& time : times)
    if (time >= 0) time = (time + added) * scale;
  return times;
}

}  // namespace strata::openvino
