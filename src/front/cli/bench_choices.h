// The options that `bench` and `optimize` share: from lists as the user writes them to a request.
#pragma once

#include <string>
#include <vector>

#include "strata/task/bench.h"

namespace strata::cli {

class App;

// The choices as the user writes them. Lists have commas in them, and options may come several
// times.
struct BenchChoices {
  std::vector<std::string> models;
  std::vector<std::string> pairs;       // torch=model.pt,onnxruntime=model.onnx
  std::vector<std::string> int8;        // MODEL=FILE
  std::vector<std::string> engines;     // onnxruntime, onnxruntime:opt=off
  std::vector<std::string> precisions;  // none: as stored
  std::vector<std::string> batches;     // none: the file's own
  std::vector<std::string> threads;     // none: 1
  std::vector<std::string> inputs;      // NAME=1x3x224x224, or files
  std::vector<std::string> sizes;       // batch=8
  BenchRequest request;                 // what is not a list

  void add_to(App& app);
  bool names_int8() const;  // among the precisions
  // All of it, with mistakes named by their option. Choices that were not made stay empty.
  Result<BenchRequest> read() const;
};

}  // namespace strata::cli
