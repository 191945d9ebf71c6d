// Asks an engine what it is and what it can compute in, in a process of its own.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/base/result.h"
#include "strata/report/engines.h"

namespace strata {

struct TryRequest {
  std::string name;
  std::string path = {};                     // folders to search for engines
  std::string device = {};                   // empty: all that the engine has
  std::vector<std::string> precisions = {};  // to try on each device
  double seconds = 60;                       // it is ended after such a silence
  std::string program = {};                  // starts the process (strata/task/worker.h)
};

// An engine that crashes or hangs is a result that says so; one that is missing is an error.
Result<TriedEngine> try_engine(const TryRequest& request, const Observer& observer);

// The process's side.
Result<TriedEngine> run_try_job(const TryRequest& request, const Observer& observer);

}  // namespace strata
