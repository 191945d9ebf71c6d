// Jobs that run an engine do so in processes of their own: an engine that crashes, exits, hangs or
// takes all memory does not take the caller with it.
//
// Such a process is started from a program that calls worker_main(): the running program itself, or
// the one that the request names (`program`). Two lines at the start of main() are enough:
//
//   if (argc == 2 && std::string_view(argv[1]) == "worker")
//     return strata::worker_main(strata::kWorkerFd, strata::kWorkerFd);
#pragma once

#include "strata/bench/child.h"

namespace strata {

// The child's side: does what is asked from `in` and answers on `out` until it is closed. Returns
// the exit code.
int worker_main(int in, int out);

}  // namespace strata
