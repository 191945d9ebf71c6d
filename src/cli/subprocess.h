// A program run to its end, with what it printed.
#pragma once

#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata::cli {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  std::string output, errors;  // what it wrote to stdout and stderr
};

// `arguments[0]` is the program. Ctrl-C at the terminal reaches it, too; it is waited for.
Result<Finished> run_program(const std::vector<std::string>& arguments);

// The path of this program.
std::string own_program();

}  // namespace strata::cli
