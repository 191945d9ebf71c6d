// The program that children are started from where a request names none: the running one, unless
// this process belongs to another program, such as Python.
#pragma once

#include <string>
#include <string_view>

#include "strata/base/result.h"

namespace strata {

// Its path. Fails with a sentence if this process is not strata and nobody said where strata is.
Result<std::string> own_program();

// Says that this process is not strata, and where strata is; empty: nowhere. Any thread may call
// it.
void set_own_program(std::string path);

// The program whose workers run an engine that is not a plugin, as STRATA_ENGINE_PROGRAMS says it:
// `torch_eager=/path/to/worker:torch_compile=/path/to/worker`. Empty: the engine is a plugin.
std::string engine_program(std::string_view engine);

}  // namespace strata
