// Who asked for a job. Nothing depends on it, but it is stored with the results.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace strata {

struct Caller {
  std::string program = {};                                       // `strata 0.1.0`
  std::vector<std::pair<std::string, std::string>> options = {};  // as given to the program
};

}  // namespace strata
