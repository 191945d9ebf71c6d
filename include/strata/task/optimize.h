// The job behind `strata optimize`: finds the fastest way to run a model at a stated quality, and
// writes it as a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/report/optimize.h"
#include "strata/task/bench.h"

namespace strata {

struct OptimizeRequest {
  // One model, and what may be tried. If left empty, engines are all that this machine has,
  // precisions are fp32 and int8, and threads are 1, 2, 4, … up to the number of cores. The samples
  // of `data` are used to calibrate int8 and to judge its answers. The job sets `method` itself,
  // except for `program`.
  BenchRequest variants;
  std::string output;                   // the model to write; a receipt and programs go beside it
  double seconds = 120;                 // time limit for the search
  double min_sqnr = 20;                 // dB; the least that answers in int8 must reach
  std::optional<double> max_drop = {};  // the share of samples whose class may change
  bool random = false;  // int8 may be calibrated and judged on random samples: a dry run
  // For the receipt: the command line that runs a file the way a variant was measured; empty: none.
  std::function<std::string(const Variant& variant, const std::string& file)> command = {};
};

struct OptimizeOutcome {
  BenchRun tried;                         // everything that was measured on the way
  std::optional<OptimizedModel> written;  // nullopt: nothing was written
  std::string not_written;                // why not, unless the job was stopped; one sentence
  std::vector<std::string> notes;         // what was not tried, one sentence each
  bool interrupted = false;
};

// Measures all variants in turn, drops the slow ones and measures the rest again. The fastest is
// then written and checked against what was measured.
Result<OptimizeOutcome> run_optimize(const OptimizeRequest& request, const Observer& observer = {});

}  // namespace strata
