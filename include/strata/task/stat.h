// The job behind `strata stat`: what every layer of a model costs, counted from the file and, if
// asked for, measured on an engine.
#pragma once

#include <memory>
#include <optional>

#include "strata/base/observer.h"
#include "strata/device/device.h"
#include "strata/profile/analysis.h"
#include "strata/task/caller.h"
#include "strata/task/model.h"
#include "strata/task/timing.h"

namespace strata {

struct StatRequest {
  ModelRequest model;
  // The choice of rows, columns and counting. The job fills in measured values and the needs of the
  // tables.
  ProfileOptions profile = {};
  std::optional<TimingRequest> time = {};  // nullopt: nothing is run
  // A file of what was measured elsewhere, in place of `time`: strata/measure/measured_calls.h, or
  // trtexec's profile, to which its export of layers may be added.
  std::string measured = {}, measured_layers = {};
  // Also plan the arena of TensorFlow Lite for Microcontrollers; notes say what it takes.
  bool tflm = false;
  // Like `tflm`, and says whether the network fits this microcontroller and how long a run takes.
  std::optional<Device> on = {};
  bool roofline = false;  // also find out what this machine can do at best
  // Say what bounds each row on this device; nothing is run.
  std::optional<Device> device = {};
  // Selects the tables to make: with the usual columns, for people; with every column, for
  // programs.
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
