// For plugins: checks inputs, as every engine must before it takes them.
#pragma once

#include <span>
#include <string>

#include "strata/engine/plugin.h"

namespace strata {

// Returns the fault of these inputs for a model with these ports: a sentence that says what was
// expected; empty if there is none.
std::string input_mistake(std::span<const StrataPort> ports, std::span<const StrataTensor> inputs);

}  // namespace strata
