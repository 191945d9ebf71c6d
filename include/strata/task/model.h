// The model of a job: which one it is, which sizes it has, and how an engine gets it.
#pragma once

#include <cstdint>
#include <string>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"
#include "strata/infer/infer.h"
#include "strata/measure/timing.h"

namespace strata {

struct ModelRequest {
  std::string path;                 // a file, `zoo:NAME`, or a folder of Hugging Face's
  InferOptions sizes = {};          // of the inputs, and of symbols in their shapes
  bool allow_outside_data = false;  // external data may be outside the model's folder
  double limit = 1;                 // multiplies what a file may cost (docs/limits.md)
  std::string model = {};           // which one, if the file holds several
  bool memory = false;              // also what a recording says of its run's memory
  // What an engine recorded of a file that strata cannot read (strata/task/record.h). If it is
  // empty and the file is such a one, load_model() has it recorded.
  std::string recording = {};
  // A process that runs the model is ended if nothing is heard of it for so long; 0: never.
  double max_wait_seconds = 0;
};

struct LoadedModel {
  Model model;
  Inference inference;
};

// Reads the file, or builds the network, and infers every shape. Errors name the file.
Result<LoadedModel> load_model(const ModelRequest& request);

// The same, but an open first axis of an input becomes 1, since a model needs sizes to run.
Result<LoadedModel> load_one_item(ModelRequest request);

// Fails if a file has shapes but no weights, or if the file that holds them is not there, since an
// engine cannot run it. The error names the first such tensor or file.
Status check_has_weights(const Model& model);

// A model in the form that engines take.
struct EngineModel {
  std::string bytes;           // empty if the model is a file
  std::string path;            // empty if it is not
  ModelSource source() const;  // refers to this object
};
// Networks of the zoo get random weights.
Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelRequest& request,
                                 std::uint64_t seed);

}  // namespace strata
