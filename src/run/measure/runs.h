// Runs of a model as they were measured, and what they say together.
#pragma once

#include <cstddef>
#include <vector>

#include "measure/kernel_times.h"
#include "strata/measure/timing.h"

namespace strata {

// Runs of one kind, from all sessions. `waits` and `pace` have one entry per run, or are empty.
struct Runs {
  std::vector<double> wall, waits, pace;
  std::vector<std::size_t> sessions;  // how many of them are of each
};

// Fills in all that follows from the runs: which of them count, their middle and its interval, and
// the times of kernels, scaled to the unrecorded runs.
void combine(Timing& timing, KernelCollector& kernels, const Runs& plain, const Runs& recorded,
             int threads);

}  // namespace strata
