// The interface between the program and whatever starts it: exit codes, and variables of the
// environment.
#pragma once

#include <span>
#include <string_view>

namespace strata::manual {

struct ExitCodeFacts {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeFacts> exit_codes();

struct VariableFacts {
  std::string_view name;
  std::string_view meaning;
};
std::span<const VariableFacts> variables();  // that the program and its engines read

}  // namespace strata::manual
