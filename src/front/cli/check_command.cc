#include "base/file_form.h"
#include "cli/command.h"
#include "cli/device_options.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "manual/advice.h"
#include "options/options.h"
#include "read/standard_input.h"
#include "report/formats.h"
#include "strata/task/check.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  CheckRequest request;  // what the others are not
  std::string junit;
  bool github = false;
  TimeOptions time;
  DeviceFiles devices;
  std::string on;
  TableOptions table;
};

// A figure that was not measured has its remedy beside it.
void add_advice(budget::Outcome& outcome) {
  for (budget::Judged& one : outcome.judged)
    if (one.verdict == budget::Verdict::Unknown && !one.found.is_known() &&
        one.budget.measure == compare::Measure::Latency &&
        one.budget.kind != budget::BudgetKind::Operator)
      one.reason += manual::in_words_of(manual::audience(), "; add --time");
}

Result<int> run(Options& options) {
  if (Status status = options.table.check("check"); !status) return failure(status);
  if (Status status = check_output_path(options.junit, {FileForm::Text}); !status)
    return failure(status);
  CheckRequest& request = options.request;
  if (Status status = options.model.read_into(request.model); !status) return failure(status);
  if (Status status = options.time.read_into(request.time); !status) return failure(status);
  request.model.engine_path = options.time.engine.path;
  if (Status status = read_device(options.on, options.devices, request.device); !status)
    return failure(status);
  JobDisplay display(request.time.has_value());
  auto outcome = display.run(run_check, request);
  if (!outcome) return failure(outcome);
  if (outcome->interrupted) return interrupted("interrupted before the latency was known");
  std::string& judged = outcome->outcome.model;
  judged = with_standard_input_named(std::move(judged));
  if (!request.time) add_advice(outcome->outcome);
  options.table.limit_to(outcome->bytes, options.model.limit);
  Status status = options.table.write(budget::check_document(outcome->outcome));
  if (status && !options.junit.empty())
    status = write_output(options.junit, budget::to_junit(outcome->outcome));
  if (status && options.github) status = write_output("", budget::to_annotations(outcome->outcome));
  if (!status) return failure(status);
  return outcome->outcome.is_kept() ? kFine : kBudget;
}

}  // namespace

Command add_check(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("check", "check a model against budgets");
  options->model.add_to(*app);
  app->get_option("model")->description(model_words(true, "a profile saved as JSON"));
  app->add({{"--budget", &options->request.budget},
            {"--baseline", &options->request.baseline},
            {"--count", &options->request.convention},
            {"--as-stored", &options->request.as_stored},
            {"--junit", &options->junit},
            {"--github", &options->github}});
  app->add({{"--on", &options->on}, {"--device-file", &options->devices.paths}});
  options->time.add_to(*app);
  options->model.add_wait_to(*app, [options = options.get()] {
    return options->time.opens_engine() || options->model.may_be_run();
  });
  options->table.add_to(*app, Exact::Numbers);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
