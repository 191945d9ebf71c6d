#include <fcntl.h>

#include "cli/command.h"
#include "options/options.h"
#include "strata/task/worker.h"

namespace strata::cli {

namespace {

Result<int> run_worker() {
  if (::fcntl(kWorkerFd, F_GETFD) < 0)
    return failure("worker is what other commands start; it does nothing by itself",
                   ErrorKind::Usage);
  return worker_main(kWorkerFd, kWorkerFd);
}

}  // namespace

// Not for people: `bench` starts it for every process that it measures, `calibrate`,
// `sensitivity` and `quantize` for the whole job, with its end of a socket at kWorkerFd.
Command add_worker(App& program) {
  App* app = program.add_subcommand("worker", "runs an engine for another command");
  app->hide();
  return {app, run_worker};
}

}  // namespace strata::cli
