// From the options of `bench` and `optimize` to a request: lists are taken apart, and every mistake
// in them is named by its option.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/task/bench.h"

namespace strata::cli {

class App;
struct BenchSettings;

// As the user writes it. Lists have commas in them, and options may come several times.
struct BenchChoices {
  std::vector<std::string> models;
  std::vector<std::string> pairs;       // torch=model.pt,onnxruntime=model.onnx
  std::vector<std::string> int8;        // MODEL=FILE
  std::vector<std::string> engines;     // onnxruntime, onnxruntime:opt=off
  std::vector<std::string> precisions;  // none: as stored
  std::vector<std::string> batches;     // none: the file's own
  std::vector<std::string> threads;     // none: 1
  std::string engine_path, device, provider;
  DataRequest data = {};  // that int8 is calibrated on, where strata makes it
  std::string base;       // the start of a variant's label; empty: the first that runs

  // The options that `bench` and `optimize` share.
  void add_to(App& app, BenchSettings& settings);
  bool names_int8() const;  // among the precisions
};

// What all variants of a model share.
struct BenchSettings {
  std::vector<std::string> inputs;  // NAME=1x3x224x224, or files
  std::vector<std::string> sizes;   // batch=8
  std::uint64_t seed = 0;           // of random inputs and weights
};

// Choices that were not made stay empty.
Result<BenchRequest> read_choices(const BenchChoices& choices, const BenchSettings& settings = {});

}  // namespace strata::cli
