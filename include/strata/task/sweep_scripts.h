// A sweep for more machines than one: scripts for schedulers that are there already.
#include "strata/base/result.h"
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace strata {

struct SweepScript {
  std::string name = {};  // of the sweep
  std::size_t jobs = 0;   // of the whole
  std::size_t parts = 1;
  std::string output =
      {};  // results of part i go to `output` with `.i` put in, and then all to `output`
  // Lines for a shell that run a part (`2/8`) and that bring files together. All words are ready
  // for a shell: `part` and `output` may be a variable of the scheduler's.
  std::function<std::string(const std::string& part, const std::string& output)> run = {};
  std::function<std::string(const std::string& files, const std::string& output)> merge = {};
};

// Fails for names that cannot stand in such a script: line breaks and other control characters,
// which would leave a comment or a line, and for make what it expands itself.
Result<std::string> slurm_script(const SweepScript& script);
Result<std::string> make_script(const SweepScript& script);

// One word for a shell.
std::string shell_word(const std::string& text);

}  // namespace strata
