// The options of commands that run a model on an engine.
#pragma once

#include <string>
#include <vector>

#include "cli/model_options.h"
#include "strata/measure/memory.h"
#include "strata/measure/runs_in.h"
#include "strata/measure/timing.h"
#include "strata/profile/profile.h"

namespace strata::cli {

struct TimeOptions {
  bool time = false;
  bool memory = false;
  bool roofline = false;
  std::string engine = "onnxruntime";
  std::string engine_path;
  std::string device, provider, precision;
  std::string view;                         // `source`, `optimized`; empty: not given, and source
  std::vector<std::string> engine_options;  // key=value
  std::vector<std::string> inputs;          // files
  std::uint64_t seed = 0;
  int threads = 1;
  int runs = 0;
  int warmup = -1;
  double seconds = 3;
  bool layers = true;  // also where the time goes

  // A view alone is a look at the kernels that would run.
  bool opens_engine() const { return time || memory || !view.empty(); }
  void add_to(CLI::App& app);
};

struct TimedModel {
  std::optional<Timing> timing;  // with a run at least
  std::optional<MemoryTrace> memory;
  std::optional<KernelPlan> plan;  // where nothing was to be measured
  TimingFacts facts;
  std::vector<std::pair<std::string, std::string>> machine;
  bool interrupted = false;  // by Ctrl-C: what was not measured until then is missing
};

// Runs the model, until it is done or a StopOnInterrupt of the caller's says so; or, if neither
// time nor memory is asked for, only opens it. Sizes that only a run can tell are taken from the
// run: `loaded` is inferred again with them, and `notes` says so.
Result<TimedModel> time_loaded(LoadedModel& loaded, const ModelOptions& model,
                               const TimeOptions& options);

}  // namespace strata::cli
