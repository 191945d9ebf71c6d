// From options to variants: models × engines × precisions × batches × threads.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_models.h"
#include "cli/data_options.h"
#include "strata/measure/variant.h"

namespace strata::cli {

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
  DataOptions data = {};  // that int8 is calibrated on, where strata makes it
  std::string base;       // the start of a variant's label; empty: the first that runs
};

// A model by its name: a file for every engine, or for each its own.
struct ModelChoice {
  std::string name;
  std::string source;                                      // for all; empty: see `files`
  std::vector<std::pair<std::string, std::string>> files;  // engine, file
  std::string int8;                                        // its quantized form, if given

  // Empty if there is none for the engine.
  std::string file_for(const std::string& engine) const;
  std::vector<std::string> sources() const;
};

// Choices with their lists taken apart; every mistake in them is found here.
struct BenchPlan {
  std::vector<ModelChoice> models;
  std::vector<EngineStyle> engines;
  std::vector<std::string> precisions;  // "": as stored
  std::vector<std::int64_t> batches;    // 0: the file's own
  std::vector<int> threads;
};
Result<BenchPlan> make_plan(const BenchChoices& choices);

// `a,b`: its parts. An empty part is an error that names the option.
Result<std::vector<std::string>> split_list(const std::vector<std::string>& texts,
                                            const char* option);
// `onnxruntime:opt=off,spin=0,torch`: a part that is `key=value` belongs to the one before.
Result<std::vector<std::string>> split_engines(const std::vector<std::string>& texts);

// A variant, or why it cannot be run.
struct PlannedVariant {
  Variant variant;
  std::string refusal = {};           // empty: it can be tried
  std::string source = {};            // of the file, as the user knows it
  std::string inputs = {};            // in words
  std::optional<double> joules = {};  // from counts
};

// Those that are compared with each other.
struct PlannedGroup {
  std::string model, shape;
  std::vector<PlannedVariant> variants;
  std::size_t base = 0;  // that can be tried, if there is one
};

// What engines say about formats and precisions, each asked once.
class EngineFacts {
 public:
  EngineFacts(std::string engine_path, std::string device, std::string provider)
      : path_(std::move(engine_path)), device_(std::move(device)), provider_(std::move(provider)) {}
  // Why the engine cannot be used at all; empty: it can.
  std::string missing(const std::string& engine);
  std::string refuses_format(const std::string& engine, bool is_onnx);
  std::string refuses_precision(const std::string& engine, const std::string& precision);

 private:
  Result<Engine>& engine(const std::string& name);
  std::string path_, device_, provider_;
  std::map<std::string, Result<Engine>> engines_;
  std::map<std::pair<std::string, std::string>, std::string> precisions_;
};

// All groups of one model. An error is of the model itself; what only some variants lack is
// their refusal.
Result<std::vector<PlannedGroup>> plan_model(const ModelChoice& model, const BenchPlan& plan,
                                             const BenchChoices& choices,
                                             const ModelSettings& settings, ModelFiles& files,
                                             EngineFacts& engines);

}  // namespace strata::cli
