// The options of commands that run a model on an engine, whatever for.
#pragma once

#include <string>
#include <vector>

#include "cli/model_options.h"
#include "strata/engine/engine.h"
#include "strata/measure/timing.h"

namespace strata::cli {

struct EngineOptions {
  std::string engine = "onnxruntime";
  std::string path;  // folders
  std::string device, provider;
  std::vector<std::string> own;  // key=value
  int threads = 0;               // 0: one for each core

  void add_to(CLI::App& app);
  Result<Engine> load() const;
  // As fast as the engine can.
  Result<SessionOptions> session() const;
};

// A model as engines take it. Networks of the zoo get weights that are made up.
struct EngineModel {
  std::string bytes;  // that `source` refers to, unless the model is a file
  std::string path;
  ModelSource source() const;
};
Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelOptions& options,
                                 std::uint64_t seed);
// Layers of a file with shapes and no elements can be counted, but nothing can be computed.
Status check_has_weights(const Model& model);

}  // namespace strata::cli
