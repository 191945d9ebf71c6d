// Puts an operator before and after every call of a module that a module's code makes.
#pragma once

#include <string>
#include <vector>

#include "torch_api.h"

namespace strata::libtorch {

// A place in the code that calls a module. Modules of one class share their code, so a place knows
// the path of the called module only from the calling one: `conv1`, `layers.0`.
struct CallSite {
  std::string path;
  bool is_forward = true;  // other methods are the caller's own work
};

// Changes the code of the module and of all modules in it. It must not have run before.
std::vector<CallSite> instrument(const torch::jit::Module& module);

}  // namespace strata::libtorch
