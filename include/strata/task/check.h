// The job behind `strata check`: checks a model or a saved profile against budgets. Nothing is run
// unless a latency is asked for.
#pragma once

#include <optional>
#include <string>

#include "strata/base/observer.h"
#include "strata/check/check.h"
#include "strata/device/device.h"
#include "strata/task/model.h"
#include "strata/task/timing.h"

namespace strata {

struct CheckRequest {
  ModelRequest model = {};  // or the path of a document
  std::string convention = "strata";
  bool as_stored = false;  // AnalysisOptions::as_stored
  // A TOML file if it is the path of one, else budgets in one line.
  std::string budget = {};
  std::string baseline = {};  // in place of the one that the file names
  // Run the model for its latency; a document has its own. nullopt: nothing is run.
  std::optional<TimingRequest> time = {};
  // Predict the latency on this device, in place of measuring it.
  std::optional<Device> device = {};
};

struct CheckOutcome {
  budget::Outcome outcome;
  std::uint64_t bytes = 0;   // of the model's file
  bool interrupted = false;  // stopped before a latency was measured; nothing is judged
};

Result<CheckOutcome> run_check(const CheckRequest& request, const Observer& observer = {});

}  // namespace strata
