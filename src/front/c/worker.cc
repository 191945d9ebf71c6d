// A worker of the caller's own engine.
#include <exception>

#include "bench/worker.h"
#include "strata/c.h"
#include "strata/task/worker.h"

int strata_worker(int socket, const StrataEngine* engine) {
  if (engine == nullptr) return STRATA_CODE_USAGE;
  try {
    strata::give_engine(engine);
    return strata::worker_main(socket, socket);
  } catch (const std::exception&) {
    return STRATA_CODE_BUG;
  }
}
