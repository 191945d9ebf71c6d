// Times of kernels from OpenVINO's counters.
//
// A counter is a kernel's mean over all runs since the model was compiled. Every run is cut to
// whole microseconds before it is added, and the mean is cut to whole microseconds, too. So the sum
// of the first k runs is known to k microseconds, and one run is the difference of two such sums.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::openvino {

// The counters of all kernels after a number of runs; -1: the kernel has not run.
struct Counters {
  std::uint64_t runs = 0;
  std::vector<std::int64_t> mean_us;
};

// For each kernel, its time in nanoseconds in the run between two readings, which took `run_ns`;
// -1: it did not run. A cut takes half a microsecond from a kernel on average, and one at most:
// what is missing from the length of the run is added up to that. The times never exceed the run.
std::vector<double> run_times(const Counters& before, const Counters& after, double run_ns);

}  // namespace strata::openvino
