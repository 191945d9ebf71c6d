// Runs a program to its end and collects what it prints.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <vector>

#include "strata/base/result.h"

namespace strata {

struct Finished {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  bool timed_out = false;      // it was killed
  std::string output, errors;  // what it wrote to stdout and stderr
};

struct ProgramLimits {
  const std::atomic<bool>* stop = nullptr;  // the program gets SIGTERM when it is set
  double seconds = 0;                       // it is killed after this time; 0: never
};

// `arguments[0]` is the program. Waits for it to end. If this process or the calling thread ends
// first, the program gets SIGTERM.
Result<Finished> run_program(const std::vector<std::string>& arguments,
                             const ProgramLimits& limits = {});

// `crashed (SIGABRT: Aborted)`
std::string what_ended_it(int signal);
// The last line of what a strata program wrote to stderr, without the program's name before it.
std::string last_words(std::string errors);

// The status of a child that has ended, as waitpid gives it.
int wait_for_end(pid_t child);

}  // namespace strata
