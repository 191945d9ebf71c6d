// The request to the process that measures a model, and its answer.
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

// The part of a TimedModel that only a run can tell.
struct TimedRun {
  std::optional<Timing> timing;
  std::optional<MemoryTrace> memory;
  std::optional<KernelPlan> plan;
  std::string engine;  // with its release
  std::string view;    // as in TimingFacts
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> machine;
  bool interrupted = false;
};

// Loads the model and runs it in this process.
Result<TimedRun> run_timing_job(const TimingJob& job, const Observer& observer);

}  // namespace strata
