#pragma once

#include <string>

#include "strata/base/result.h"
#include "strata/llm/network.h"
#include "strata/read/weights.h"

namespace strata::llm {

// Takes the bytes of each matrix from the safetensors files of a Hugging Face folder, if there are
// any. Only headers are read.
Status use_stored_types(const std::string& folder, Network& network);
// From what the headers say.
void use_stored_types(const Weights& weights, Network& network);

}  // namespace strata::llm
