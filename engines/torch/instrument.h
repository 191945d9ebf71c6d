// Puts an operator before and after every call of a module that a module's code makes, and around
// its calls of functions and of its own methods, so that their work is timed apart.
#pragma once

#include <string>
#include <vector>

#include "torch_api.h"

namespace strata::libtorch {

// A place in the code that calls a module. Modules of one class share their code, so a place knows
// the path of the called module only from the calling one: `conv1`, `layers.0`.
struct CallSite {
  std::string path;        // "": the calling module itself
  std::string method;      // of that module, without modules in it: has a row; "" for all others
  bool is_forward = true;  // functions and other methods are the caller's own work
  bool has_row() const { return is_forward || !method.empty(); }
};

// Changes the code of the module and of all modules in it. It must not have run before.
std::vector<CallSite> instrument(const torch::jit::Module& module);

}  // namespace strata::libtorch
