// Models that are built from the records of a language model's layers (strata/llm/graph.h).
#pragma once

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/task/model.h"

namespace strata {

// True for a published configuration by name, a GGUF file that names its architecture, and a
// Hugging Face folder of a class that has no network of ONNX's operators, or that is asked for with
// a cache: `--dim past=2047`.
bool is_language_model(const ModelRequest& request);

Result<Model> build_language_model(const ModelRequest& request);

// The sizes without those that build_language_model() has used.
InferOptions sizes_of_language_model(InferOptions sizes);

// The request with a cache, which may be empty: its network consists of operators that read it.
// Other models stay as they are.
ModelRequest with_cache(ModelRequest request);

// Fails if the model has operators that no engine runs.
Status check_can_run(const Model& model);

}  // namespace strata
