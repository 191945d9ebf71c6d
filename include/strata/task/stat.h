// The job behind `strata stat`: what every layer of a model costs, counted from the file and, if
// asked for, measured on an engine.
#pragma once

#include <memory>
#include <optional>

#include "strata/base/observer.h"
#include "strata/profile/analysis.h"
#include "strata/task/caller.h"
#include "strata/task/model.h"
#include "strata/task/timing.h"

namespace strata {

struct StatRequest {
  ModelRequest model;
  // Which rows and columns there are, and how they are counted. The job fills in what is measured,
  // and what the tables need.
  ProfileOptions profile = {};
  std::optional<TimingRequest> time = {};  // nullopt: nothing is run
  // A file of what was measured elsewhere (strata/measure/measured_calls.h), in place of `time`.
  std::string measured = {};
  bool roofline = false;  // also find out what this machine can do at best
  // Which tables to make: with the usual columns, for people; with every column, for programs.
  bool shown = true, full = false;
  Caller caller = {};
};

struct StatOutcome {
  std::unique_ptr<LoadedModel> loaded;  // null if it was stopped while the model was recorded
  std::unique_ptr<Analysis> analysis;   // of the loaded model; more tables can be made of it
  std::optional<Profile> shown, full;   // as they were asked for
  bool interrupted = false;  // what had not been measured by then is missing from the tables; there
                             // are none if nothing had been
};

// Reads the model, runs it if asked to, analyses it and makes the tables.
Result<StatOutcome> run_stat(const StatRequest& request, const Observer& observer = {});

}  // namespace strata
