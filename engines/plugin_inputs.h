// For plugins: checks inputs, as every engine must before it takes them.
#pragma once

#include <span>
#include <string>

#include "strata/engine/plugin.h"

namespace strata {

// What is wrong with these inputs for a model with these ports: a sentence that says what was
// expected; empty if nothing is wrong.
std::string input_mistake(std::span<const StrataPort> ports, std::span<const StrataTensor> inputs);

}  // namespace strata
