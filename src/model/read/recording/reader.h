// Reads recordings: what strata's Python package writes down while a module of PyTorch runs once.
// Every call of an operator is there with the shapes it had, and the call of the module it ran in.
#pragma once

#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"
#include "strata/read/read.h"

namespace strata::recording {

// True for a JSON object whose start names the format.
bool looks_like_recording(std::string_view bytes);

// The bytes must outlive the model, or be kept alive by model.backing.
Result<Model> read(std::string_view bytes, std::string_view label, const ReadOptions& options);

}  // namespace strata::recording
