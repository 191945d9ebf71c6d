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
#include "strata/task/worker.h"

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
  double keep_seconds = 2;       // between two times that it writes its results; 0: each sample
  std::string program = {};      // starts the process that it runs in (strata/task/worker.h)
  bool in_process = false;       // run it in this process, which the engine may take down
};

struct CalibrateOutcome {
  Calibration calibration;
  bool interrupted = false;             // fewer samples were seen than there are
  std::optional<Error> unwritten = {};  // why `output` could not be written
};

// Writes what it has seen to `output` at the end, and every few seconds to `output`.part, in at
// most a fiftieth of the time. If one of these files comes from an identical request, its samples
// are not run again. A run that is stopped does not replace a finished one at `output`; its samples
// stay in `output`.part.
Result<CalibrateOutcome> run_calibrate(const CalibrateRequest& request,
                                       const Observer& observer = {});

// Combines what two or more such files have seen, as if it had been a single run.
Result<Calibration> merge_calibrations(std::span<const std::string> paths);
// Merges with this choice of ranges, and writes the result to `output` unless that is empty.
Result<Calibration> merge_calibrations(std::span<const std::string> paths,
                                       const RangeOptions& ranges, const std::string& output);

}  // namespace strata
