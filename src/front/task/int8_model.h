// The quantized form of a model, for variants in int8.
#pragma once

#include <string>

#include "strata/base/observer.h"
#include "strata/task/data.h"

namespace strata {

struct Int8Request {
  std::string model;        // its name
  std::string file;         // in floating point
  std::string given = {};   // its quantized form, if there is one already
  std::string output = {};  // where to write one; an existing file is used as it is
  DataRequest data = {};    // to calibrate on; without a path: random samples
  std::string engine_path = {};
  std::string program = {};  // CalibrateRequest::program
  bool trust_model = false;
};

struct Int8Model {
  std::string file;
  std::string how;  // `calibrated on 16 random samples`; empty for a given one
};

// The given file, or a new one: calibrated on ONNX Runtime, with every layer in int8 that
// can be.
Result<Int8Model> int8_model(const Int8Request& request, const Observer& observer = {});

}  // namespace strata
