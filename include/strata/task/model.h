// The model of a job: which one it is, which sizes it has, and how an engine gets it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strata/base/result.h"
#include "strata/engine/engine.h"
#include "strata/graph/graph.h"
#include "strata/infer/infer.h"
#include "strata/measure/timing.h"
#include "strata/read/source.h"

namespace strata {

// An engine that says nothing for this long is killed, unless the caller sets another limit.
inline constexpr double kMaxWaitSeconds = 600;

struct ModelRequest {
  Source source;                    // a file, `zoo:NAME`, or a Hugging Face folder
  InferOptions sizes = {};          // of the inputs, and of symbols in their shapes
  bool allow_outside_data = false;  // external data may be outside the model's folder
  double limit = 1;                 // multiplies the limits for the file (docs/limits.md)
  std::string model = {};           // the model to read, if the file holds several
  bool memory = false;              // also read the memory of a recording's run
  // The recording that an engine made of a file that strata cannot read (strata/task/record.h). If
  // it is empty and the file is of that kind, load_model() asks an engine to record it.
  std::string recording = {};
  // For that: files with elements of its inputs, `[NAME=]FILE`, and folders to look for the engine
  // in, separated by `:`.
  std::vector<std::string> input_files = {};
  std::string engine_path = {};
  // A process that runs the model is killed if it says nothing for this long; 0: never.
  double max_wait_seconds = kMaxWaitSeconds;
  bool trust_model = false;  // the process that runs the model is not confined (docs/trust.md)
};

struct LoadedModel {
  Model model;
  Inference inference;
  // The shapes of the inputs as the file states them, before the request gave them sizes.
  std::vector<Dims> stated_inputs = {};
};

// Reads the file, or builds the network, and infers every shape. Errors name the file.
Result<LoadedModel> load_model(const ModelRequest& request);

// Like load_model, but an open first axis of an input becomes 1, since a model needs sizes to run.
Result<LoadedModel> load_one_item(ModelRequest request);

// Fails if a file has shapes but no weights, or if the file that holds them is not there, since an
// engine cannot run it. The error names the first such tensor or file.
Status check_has_weights(const Model& model, const Source& source = {});

// True if an engine that opens the file itself gets the sizes that the model was loaded with: the
// file leaves the others open.
bool file_has_sizes(const LoadedModel& loaded);

// A model in the form that engines take.
struct EngineModel {
  std::string bytes;           // empty if the model is a file
  Source file = {};            // empty if it is not
  ModelSource source() const;  // refers to this object
};
// Networks of the zoo get random weights.
Result<EngineModel> engine_model(const LoadedModel& loaded, const ModelRequest& request,
                                 std::uint64_t seed);

}  // namespace strata
