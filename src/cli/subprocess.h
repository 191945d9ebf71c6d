// A program run to its end, with what it printed.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata::cli {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;      // it was killed
  std::string output, errors;  // what it wrote to stdout and stderr
};

struct ProgramLimits {
  const std::atomic<bool>* stop = nullptr;  // the program gets SIGTERM when it is set
  double seconds = 0;                       // it is killed after them; 0: never
};

// `arguments[0]` is the program. It is waited for. When this process or the calling thread
// ends before it, it gets SIGTERM.
Result<Finished> run_program(const std::vector<std::string>& arguments,
                             const ProgramLimits& limits = {});

// `crashed (SIGABRT: Aborted)`
std::string what_ended_it(int signal);
// The last line of what a program of strata's said, without the name before it.
std::string last_words(std::string errors);

// The status of a child that has ended, as waitpid gives it.
int wait_for_end(pid_t child);

// The path of this program.
std::string own_program();

}  // namespace strata::cli
