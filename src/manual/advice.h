// What the library says, with the options of the program that help. The library names none of them.
#pragma once

#include <string>

#include "strata/base/error.h"

namespace strata::manual {

std::string advised(const Error& error);

}  // namespace strata::manual
