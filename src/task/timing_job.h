// What the process that runs a model to measure it is asked, and what it answers.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/task/timing.h"

namespace strata {

struct TimingJob {
  ModelRequest model;
  TimingRequest timing;
};

// As much of a TimedModel as only a run can tell.
struct TimedRun {
  std::optional<Timing> timing;
  std::optional<MemoryTrace> memory;
  std::optional<KernelPlan> plan;
  std::string engine;  // with its release
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> machine;
  bool interrupted = false;
};

// Loads the model and runs it in this process.
Result<TimedRun> run_timing_job(const TimingJob& job, const Observer& observer);

}  // namespace strata
