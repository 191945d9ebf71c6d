// The run behind `strata quantize`.
#pragma once

#include <string>
#include <vector>

#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "strata/measure/bench.h"
#include "strata/quant/keep_float.h"
#include "strata/quant/qdq.h"
#include "strata/quant/ranges_file.h"

namespace strata::cli {

struct QuantizeRequest {
  ModelOptions model;
  DataOptions data;  // calibrated on, if there is no `ranges`, and after them held out
  EngineOptions engine;
  std::string ranges;                       // a file of `strata calibrate`
  std::optional<RangeOptions> choice = {};  // nullopt: the file's, or min-max
  std::vector<std::string> keep_float;      // names; `auto` alone: see AnswerTarget
  AnswerTarget target = {};
  std::int64_t held_out = 16;  // samples that answers are judged on
  bool time = true;            // also measure what it brings
  double seconds = 10;         // for that
  std::string output;
};

struct QuantizedLayer {
  std::string path, block;
  bool int8 = false;
  double float_seconds = -1, int8_seconds = -1;  // -1: not measured, or in no kernel of its own
  std::optional<double> drop;                    // alone; where `auto` needed it
};

struct QuantizeOutcome {
  std::vector<QuantizedLayer> layers;
  std::vector<SampleScore> scores;  // held out, of the model as written
  bool random = false;              // samples, of ranges or held out
  std::optional<bool> met;          // the target, if there is one
  int tried = 0;                    // models that `auto` made
  std::size_t int8_nodes = 0;       // beside layers
  std::int64_t float_bytes = 0, int8_bytes = 0;
  std::optional<BenchResult> bench;  // floats, int8
  std::string exclude;               // the file with the list
  bool reduced_range = false;
};

// Writes the model and the list of nodes that stay in floats. If the target cannot be met,
// nothing is written.
Result<QuantizeOutcome> run_quantize(const QuantizeRequest& request);

}  // namespace strata::cli
