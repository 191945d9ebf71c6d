#pragma once

#include <string>

#include "strata/base/result.h"
#include "strata/llm/network.h"
#include "strata/read/weights.h"

namespace strata::llm {

// A GGUF file, and the others if it is the first of several. Elements need not be there: the start
// of a file is enough.
Result<Network> read_gguf_network(const std::string& path);
// From what the header says; `label` names the file in errors.
Result<Network> network_of_gguf(const Weights& weights, const std::string& label);

}  // namespace strata::llm
