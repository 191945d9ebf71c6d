// The job behind `strata calibrate`: ranges of activations from samples. It resumes an earlier run
// that was stopped.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "strata/base/observer.h"
#include "strata/calibrate/ranges_file.h"
#include "strata/task/data.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"

namespace strata {

struct CalibrateRequest {
  ModelRequest model;
  DataRequest data;
  EngineRequest engine = {};
  RangeOptions ranges = {};  // how readers of the file choose ranges
  std::string output = {};   // the file of sketches; empty: nothing is kept
  bool per_channel = false;
  bool allow_nonfinite = false;  // count NaN and infinity instead of failing
  bool fresh = false;            // do not resume an earlier run
};

struct CalibrateOutcome {
  Calibration calibration;
  bool interrupted = false;             // fewer samples were seen than there are
  std::optional<Error> unwritten = {};  // why `output` could not be written
};

// Writes what it has seen to `output` at the end, and about every half minute to `output`.part. If
// one of these files comes from an identical request, its samples are not run again. A run that is
// stopped does not replace a finished one at `output`; its samples stay in `output`.part.
Result<CalibrateOutcome> run_calibrate(const CalibrateRequest& request,
                                       const Observer& observer = {});

// Combines what two or more such files have seen, as if it had been a single run.
Result<Calibration> merge_calibrations(std::span<const std::string> paths);

}  // namespace strata
