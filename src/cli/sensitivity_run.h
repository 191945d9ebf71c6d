// The run behind `strata sensitivity`: goes on where an earlier one was stopped.
#pragma once

#include <optional>
#include <string>

#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "strata/quant/range.h"
#include "strata/report/sensitivity.h"

namespace strata::cli {

struct SensitivityRequest {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;
  std::string ranges;                       // a file of `strata calibrate`; empty: the same samples
  std::optional<RangeOptions> choice = {};  // of ranges; nullopt: the file's, or min-max
  Quality quality = Quality::Sqnr;
  std::string command;  // for Quality::Command
  Rounding rounding = {};
  std::int64_t memory_bytes = 2'000'000'000;
  double budget = 1, budget_seconds = 0;
  bool naive = false, leave_one_out = false;
  bool parts = false;  // also weights and activations apart
  int top = 10;
  std::string journal;  // empty: nothing is kept
  bool fresh = false;   // does not go on with the journal
};

struct SensitivityOutcome {
  SensitivityRun run;
  bool interrupted = false;
  std::optional<Error> unwritten = {};  // why the journal could not be
};

// Calibrates first if there are no ranges. Writes what it has to the journal, while it runs
// and at the end. Says on stderr what it goes on with.
Result<SensitivityOutcome> run_sensitivity(const SensitivityRequest& request,
                                           SensitivityRun start = {});

}  // namespace strata::cli
