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
  double seconds = 0;          // for that; 0: by how long the model takes
  std::string output;

  bool automatic() const { return keep_float == std::vector<std::string>{"auto"}; }
};

struct QuantizedLayer {
  std::string path, block;
  bool int8 = false;
  // Of a layer in floats: `named` by the user, for the `answers` or for the `speed`.
  std::string reason;
  double float_seconds = -1, int8_seconds = -1;  // -1: not measured, or in no kernel of its own
  std::optional<double> drop;                    // alone; where `auto` needed it

  // By more than times of layers are uncertain.
  bool slower() const { return float_seconds > 0 && int8_seconds > 1.05 * float_seconds; }
};

struct QuantizeOutcome {
  std::string model, hash, engine;
  std::string ranges;  // in words: `minmax of ranges.json, 100 samples`
  std::string data;    // that answers are judged on, in words
  std::vector<QuantizedLayer> layers;
  std::vector<SampleScore> scores;     // held out, of the model as written
  bool random_data = false;            // samples, of ranges or held out
  bool random_weights = false;         // of the zoo
  std::optional<AnswerTarget> target;  // of `auto`
  int tried = 0;                       // models that `auto` made
  std::size_t int8_nodes = 0;          // beside layers
  std::int64_t float_bytes = 0, int8_bytes = 0;
  std::optional<BenchResult> bench;   // floats, int8
  std::vector<std::string> excluded;  // nodes of the original that stay in floats
  std::string exclude;                // the file with that list
  bool reduced_range = false;
  bool interrupted = false;  // after the model was written
  std::vector<std::string> notes = {};
};

// Writes the model and the list of nodes that stay in floats. If the target cannot be met, or
// the run is stopped before, nothing is written.
Result<QuantizeOutcome> run_quantize(const QuantizeRequest& request);

}  // namespace strata::cli
