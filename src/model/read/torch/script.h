// TorchScript modules: archives of code and weights that torch.jit.save wrote. They are told from
// other archives here, and run by an engine.
#pragma once

#include <string_view>

namespace strata::torch {

bool looks_like_script(std::string_view bytes);

}  // namespace strata::torch
