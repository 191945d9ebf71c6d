// Scripts with which shells complete commands, options, values that are known, and files.
#pragma once

#include <string>
#include <vector>

#include "manual/facts.h"

namespace strata::manual {

std::string bash_completion(const CommandFacts& program);
std::string zsh_completion(const CommandFacts& program);
std::string fish_completion(const CommandFacts& program);

struct Shell {
  const char* name;
  std::string (*completion)(const CommandFacts& program);
};
const std::vector<Shell>& shells();

}  // namespace strata::manual
