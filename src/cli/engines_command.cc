#include <fmt/format.h>

#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/table_options.h"
#include "strata/task/engines.h"

namespace strata::cli {

namespace {

struct Options {
  EnginesRequest request;
  TableOptions table;
};

Result<int> run(const Options& options) {
  JobDisplay display;
  auto engines = run_engines(options.request, display.observer());
  display.clear();
  if (!engines) return failure(engines);
  for (TriedEngine& engine : *engines)
    if (engine.timed_out) engine.failed += "; --max-time gives it more";
  Document document = engines_document(*engines);
  if (options.table.chooses()) document.sections.clear();
  if (Status status = options.table.write(std::move(document)); !status) return failure(status);
  return display.stopped() ? kInterrupted : kFine;
}

}  // namespace

Command add_engines(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("engines", "what can run models here, tried out");
  app->add_option("name NAME", options->request.name, "one engine");
  app->add_option("--engine-path DIR:DIR", options->request.path, "folders to look for engines in");
  Option* max_time =
      app->add_quantity("--max-time TIME", Quantity::TimeLimit, options->request.seconds,
                        "how long to try an engine (default 60s)");
  app->old_name("--timeout", max_time);
  options->table.add_to(*app);
  options->table.add_choice(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
