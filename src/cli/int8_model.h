// The quantized form of a model, for variants in int8.
#pragma once

#include <string>

#include "cli/data_options.h"
#include "strata/base/result.h"

namespace strata::cli {

struct Int8Request {
  std::string model;        // its name
  std::string file;         // in floating point
  std::string given = {};   // what the user has: `--int8 MODEL=FILE`; may be empty
  std::string output = {};  // where to write one; what is there already is taken as it is
  DataOptions data = {};    // to calibrate on; without a path: random samples
  std::string engine_path = {};
};

struct Int8Model {
  std::string file;
  std::string how;  // `calibrated on 16 random samples`; empty for a given one
};

// The given file, or one that is made: calibrated on ONNX Runtime, every layer in int8 that
// can be.
Result<Int8Model> int8_model(const Int8Request& request);

}  // namespace strata::cli
