// The job behind `strata sensitivity`: what quantizing one layer at a time does to a network's
// answers. It resumes an earlier run that was stopped.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "strata/base/observer.h"
#include "strata/calibrate/range.h"
#include "strata/report/sensitivity.h"
#include "strata/task/caller.h"
#include "strata/task/data.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"
#include "strata/task/worker.h"

namespace strata {

struct SensitivityRequest {
  ModelRequest model;
  DataRequest data;
  EngineRequest engine = {};
  std::string ranges = {};  // a file from run_calibrate(); empty: ranges come from
                            // the same samples
  std::optional<RangeOptions> choice =
      {};  // how to choose ranges; nullopt: the file's choice, or min-max
  Quality quality = Quality::Sqnr;
  // For Quality::Command: a line for /bin/sh that gets the paths of two .npz files, $1 with the
  // outputs in float and $2 with the quantized ones, and prints a number. Higher is better.
  std::string command = {};
  Rounding rounding = {};
  std::int64_t memory_bytes = 2'000'000'000;  // for activations that are kept in memory
  double budget = 1;                          // share of the passes that the naive loop takes
  double budget_seconds = 0;                  // 0: no limit
  bool naive = false, leave_one_out = false;
  bool parts = false;        // also measure weights and activations separately
  int top = 10;              // the layers whose ranking a budget is spent on
  std::string journal = {};  // a file of all scores, to resume from; empty: nothing is kept
  bool fresh = false;        // do not resume from the journal
  double keep_seconds = 2;   // between two times that it writes them; 0: after each sample
  std::string program = {};  // starts the process that it runs in (strata/task/worker.h)
  bool in_process = false;   // run it in this process, which the engine may take down
  Caller caller = {};        // kept in the journal and in reports
};

struct SensitivityOutcome {
  SensitivityRun run;
  bool interrupted = false;
  std::optional<Error> unwritten = {};  // why the journal could not be written
  std::string kept_in = {};             // the file to resume from, if it was interrupted
};

// Calibrates first if there is no file of ranges. Writes its scores to the journal while it runs
// and at the end. If the journal holds an earlier result that is to be replaced (`fresh`), that one
// stays until the new one is complete: until then, scores are in `journal`.partial, from which the
// same request without `fresh` resumes.
Result<SensitivityOutcome> run_sensitivity(const SensitivityRequest& request,
                                           const Observer& observer = {});

}  // namespace strata
