// The program, from its words to its exit code.
#pragma once

#include <string>
#include <vector>

namespace strata::cli {

// `words` are those behind the program's name. Everything that is said goes to outlet(). May throw
// std::bad_alloc.
int run_program(const std::vector<std::string>& words);

}  // namespace strata::cli
