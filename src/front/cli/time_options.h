// The options of commands that run a model on an engine to measure it.
#pragma once

#include <string>
#include <vector>

#include "cli/engine_options.h"
#include "strata/task/timing.h"

namespace strata::cli {

struct ModelOptions;

struct TimeOptions {
  EngineOptions engine;
  TimingRequest timing = {.time = false};  // all but its engine
  bool roofline = false;
  std::string view;  // `source`, `optimized`; empty: not given

  // For one model, whose inputs may be files. Without --time, --memory or --view nothing is run,
  // and what says how to run it is refused.
  void add_to(App& app, ModelOptions& model);
  // For a table of networks: --time is all that there is to run for.
  void add_to(App& app);
  // A view alone is a look at the kernels that would run.
  bool opens_engine() const { return timing.time || timing.memory || !view.empty(); }
  // Reads the request, if anything is to be run; mistakes are named by their option.
  Status read_into(std::optional<TimingRequest>& request) const;

 private:
  // Adds options for the run, which have no effect without one of `needed`.
  void add_run(App& app, const std::vector<std::string>& needed);
};

}  // namespace strata::cli
