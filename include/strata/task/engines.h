// The job behind `strata engines`: lists the engines that work on this machine, after trying them.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/report/engines.h"

namespace strata {

struct EnginesRequest {
  std::string name = {};     // one engine; empty: all
  std::string path = {};     // folders to look for engines in, with `:` between them
  double seconds = 60;       // time limit for an engine to respond
  std::string program = {};  // starts the processes (strata/task/worker.h)
};

// Each engine is tried in a process of its own: one that crashes or hangs is an entry that says so.
// If one engine is asked for, it is an error that it is missing, or that it does not survive.
Result<std::vector<TriedEngine>> run_engines(const EnginesRequest& request,
                                             const Observer& observer = {});

}  // namespace strata
