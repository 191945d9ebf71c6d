#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/engines.h"

namespace strata::cli {

namespace {

struct Options {
  EnginesRequest request;
  TableOptions table;
};

Result<int> run(const Options& options) {
  JobDisplay display;
  auto engines = display.run(run_engines, options.request);
  if (!engines) return failure(engines);
  for (TriedEngine& engine : *engines)
    if (engine.timed_out) engine.failed += "; --max-time gives it more";
  Document document = engines_document(*engines);
  if (options.table.chooses()) document.sections.clear();
  return options.table.print(std::move(document), display.stopped() ? kInterrupted : kFine);
}

}  // namespace

Command add_engines(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("engines", "list the engines that work on this machine");
  app->add({{"name", &options->request.name},
            {"--engine-path", &options->request.path},
            {"--max-time", &options->request.seconds}});
  options->table.add_to(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
