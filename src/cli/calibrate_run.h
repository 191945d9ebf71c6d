// The run behind `strata calibrate`: goes on where an earlier one was stopped.
#pragma once

#include <optional>
#include <string>

#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "strata/quant/ranges_file.h"

namespace strata::cli {

struct CalibrateRun {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;
  RangeOptions ranges;
  std::string output;  // empty: nothing is kept
  bool per_channel = false;
  bool allow_nonfinite = false;
  bool fresh = false;  // does not go on with an earlier run
};

struct CalibrateResult {
  Calibration calibration;
  bool interrupted = false;
  std::optional<Error> unwritten = {};  // why `output` could not be
};

// Writes what it has to `output`; while it runs, about every half minute, to
// `output`.part. Says on stderr what it goes on with.
Result<CalibrateResult> run_calibration(const CalibrateRun& run);

}  // namespace strata::cli
