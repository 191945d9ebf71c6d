// The job behind `strata calibrate-device`: times kernels on an engine here, and describes this
// machine as a device for predictions.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/device/device.h"
#include "strata/task/engine.h"
#include "strata/task/worker.h"

namespace strata {

struct CalibrateDeviceRequest {
  EngineRequest engine = {.threads = 1};
  double seconds = 120;      // for all networks; each is given the same time
  std::string output = {};   // the device file; empty: none is written
  std::string program = {};  // starts the process that it runs in (strata/task/worker.h)
  bool in_process = false;   // run it in this process, which the engine may take down
};

// One network that was timed, and how well the constants explain it.
struct CalibrationRun {
  std::string network;
  double measured = 0;   // seconds of a run
  double predicted = 0;  // by constants that were fitted to the other networks
};

// How well the constants of a class explain the kernels that they were fitted to.
struct CalibrationClass {
  std::string name;
  double median_error = 0;  // |predicted / measured - 1|
};

struct CalibrateDeviceOutcome {
  std::string text = {};  // of the device file; empty if it was stopped before anything was known
  std::vector<CalibrationRun> runs = {};
  std::vector<CalibrationClass> classes = {};
  double waited = 0;         // share of the time in which others had the processor; -1: not known
  bool interrupted = false;  // networks are missing, and nothing is written
};

Result<CalibrateDeviceOutcome> run_calibrate_device(const CalibrateDeviceRequest& request,
                                                    const Observer& observer = {});

}  // namespace strata
