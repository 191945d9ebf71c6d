// The program that children are started from where a request names none: the running one, unless
// this process belongs to another program, such as Python.
#pragma once

#include <string>

#include "strata/base/result.h"

namespace strata {

// Its path. Fails with a sentence if this process is not strata and nobody said where strata is.
Result<std::string> own_program();

// Says that this process is not strata, and where strata is; empty: nowhere. Any thread may call
// it.
void set_own_program(std::string path);

}  // namespace strata
