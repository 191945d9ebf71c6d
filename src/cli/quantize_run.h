// The run behind `strata quantize`: what the command line says becomes a task of the library.
#pragma once

#include <string>
#include <vector>

#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "strata/quant/quantize.h"
#include "strata/quant/ranges_file.h"

namespace strata::cli {

struct QuantizeRequest {
  ModelOptions model;
  DataOptions data;  // calibrated on, if there is no `ranges`, and after them held out
  EngineOptions engine;
  std::string ranges;                       // a file of `strata calibrate`
  std::optional<RangeOptions> choice = {};  // nullopt: the file's, or min-max
  std::vector<std::string> keep_float;      // names, or `auto`, also among names
  AnswerTarget target = {};
  std::int64_t held_out = 16;  // samples that answers are judged on
  bool time = true;            // also measure what it brings
  double seconds = 0;          // for that; 0: by how long the model takes
  std::string output;
};

struct QuantizeReport {
  std::string model, hash, engine, output, exclude;
  std::string ranges;           // in words: `minmax of ranges.json, 100 samples`
  bool random_data = false;     // samples, of ranges or held out
  bool random_weights = false;  // of the zoo
  bool reduced_range = false;
  bool automatic = false;
  std::int64_t float_bytes = 0;
  QuantizeOutcome outcome;
};

// Writes the model and the list of nodes that stay in floats. If the target cannot be met, or
// the run is stopped before, nothing is written. Shows progress on a terminal.
Result<QuantizeReport> run_quantize(const QuantizeRequest& request);

}  // namespace strata::cli
