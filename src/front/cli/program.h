// The program, from its words or a request to its exit code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "options/request.h"

namespace strata::cli {

// `words` are those behind the program's name. Everything that is said goes to outlet(). May throw
// std::bad_alloc.
int run_program(const std::vector<std::string>& words);
int run_program(const Request& request);

// A request with the present names of its options, in its own order, and the same as words of a
// command line.
struct CommandLine {
  Request request;
  std::vector<std::string> words;
};
Result<CommandLine> command_line(const Request& request);

}  // namespace strata::cli
