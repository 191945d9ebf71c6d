#include <fcntl.h>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "strata/measure/worker.h"

namespace strata::cli {

namespace {

Result<int> run_worker() {
  if (::fcntl(kWorkerFd, F_GETFD) < 0)
    return failure("worker is what `strata bench` starts; it does nothing by itself",
                   ErrorKind::Usage);
  return worker_main(kWorkerFd, kWorkerFd);
}

}  // namespace

// Not for people: `bench` starts it for every process that it measures, with its end of a
// socket at kWorkerFd.
Command add_worker(CLI::App& program) {
  CLI::App* app = program.add_subcommand("worker", "runs one variant of a benchmark");
  app->group("");  // not in --help
  return {app, run_worker};
}

}  // namespace strata::cli
