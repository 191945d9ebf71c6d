// The job behind `strata quantize`: turns a file in float into one in int8. Ranges come from a
// file or from samples, and answers are judged on samples that no range comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/calibrate/range.h"
#include "strata/quantize/quantize.h"
#include "strata/report/quantize.h"
#include "strata/task/data.h"
#include "strata/task/engine.h"
#include "strata/task/model.h"
#include "strata/task/worker.h"

namespace strata {

struct QuantizeRequest {
  ModelRequest model;
  // The samples to calibrate on if there is no `ranges`; the samples after those are held out. With
  // `ranges`, it may be left empty: the held-out samples are then those that follow the file's own.
  DataRequest data = {};
  EngineRequest engine = {};
  std::string ranges = {};                   // a file of run_calibrate()
  std::optional<RangeOptions> choice = {};   // nullopt: the file's, or min-max
  std::vector<std::string> keep_float = {};  // names, or `auto`, which may be combined with names
  AnswerTarget target = {};
  std::int64_t held_out = 16;  // samples that answers are judged on
  bool time = true;            // also measure the speedup
  double seconds = 0;          // time for that; 0: depends on how long the model takes
  std::string output = {};     // the file to write; the list of float nodes goes beside it
  std::string program = {};    // starts the processes that it runs in (strata/task/worker.h)
  bool in_process = false;     // run it in this process, which the engine may take down; times are
                               // measured in others all the same
};

// Writes the model and the list of nodes that stay in float. Writes nothing if the target cannot
// be met or the job is stopped earlier.
Result<QuantizeReport> run_quantize(const QuantizeRequest& request, const Observer& observer = {});

}  // namespace strata
