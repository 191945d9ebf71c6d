// The job behind `strata stat --time` and `--memory`: runs a model on an engine and records what
// its kernels take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/base/observer.h"
#include "strata/measure/memory.h"
#include "strata/measure/runs_in.h"
#include "strata/measure/timing.h"
#include "strata/profile/profile.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"
#include "strata/task/worker.h"

namespace strata {

// States how far the engine may change the model that it runs.
enum class EngineView : std::uint8_t {
  Usual,      // optimized; an engine that runs modules runs them as the file has them
  Source,     // not at all: each node of the file is a kernel
  Optimized,  // as far as it can
};

struct TimingRequest {
  EngineRequest engine = {.threads = 1};
  std::string precision = {};  // what the engine computes in, if it can; empty: as stored
  EngineView view = EngineView::Usual;
  bool time = true;
  bool memory = false;
  bool layers = true;                    // also find out where the time goes
  std::vector<std::string> inputs = {};  // `[NAME=]FILE`; empty: random elements
  std::uint64_t seed = 0;                // for random inputs and weights
  int runs = 0;                          // 0: limited by time
  int warmup = -1;                       // -1: until run times settle
  double seconds = 3;
  std::string program = {};  // starts the process that it runs in (strata/task/worker.h)
  bool in_process = false;   // run it in this process, which the engine may take down
};

struct TimedModel {
  std::optional<Timing> timing;  // has at least one run
  std::optional<MemoryTrace> memory;
  std::optional<KernelPlan> plan;  // set if nothing was to be measured
  TimingFacts facts;
  std::vector<std::pair<std::string, std::string>> machine;
  bool interrupted = false;  // what had not been measured by then is missing
};

// Runs the model until it is done or stopped; if neither time nor memory is asked for, it only
// opens the model. `loaded` must come from `model`, which the process that runs it loads again.
// Sizes that only a run can tell are taken from the run: `loaded` is then inferred again with them,
// and its notes say so.
Result<TimedModel> run_timing(LoadedModel& loaded, const ModelRequest& model,
                              const TimingRequest& request, const Observer& observer = {});

}  // namespace strata
