// The options of commands that run a model on an engine.
#pragma once

#include <string>
#include <vector>

#include "cli/model_options.h"
#include "strata/measure/memory.h"
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
  std::string view = "source";
  std::vector<std::string> engine_options;  // key=value
  std::vector<std::string> inputs;          // files
  std::uint64_t seed = 0;
  int threads = 1;
  int runs = 0;
  int warmup = -1;
  double seconds = 3;
  bool layers = true;  // also where the time goes

  bool measures() const { return time || memory; }
  void add_to(CLI::App& app);
};

struct TimedModel {
  std::optional<Timing> timing;  // with a run at least
  std::optional<MemoryTrace> memory;
  TimingFacts facts;
  std::vector<std::pair<std::string, std::string>> machine;
  bool interrupted = false;  // by Ctrl-C: what was not measured until then is missing
};

// Runs the model, until it is done or a StopOnInterrupt of the caller's says so. Sizes that only a run can tell are taken from it: `loaded` is inferred
// again with them, and `notes` says so.
Result<TimedModel> time_loaded(LoadedModel& loaded, const ModelOptions& model,
                               const TimeOptions& options);

}  // namespace strata::cli
