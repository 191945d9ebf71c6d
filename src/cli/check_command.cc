#include "base/file_form.h"
#include "base/standard_input.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "cli/time_options.h"
#include "strata/task/check.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  std::string budget, baseline, junit;
  std::string convention = "strata";
  bool github = false;
  TimeOptions time;
  TableOptions table;
};

Result<int> run(Options& options) {
  if (Status status = options.table.check("check"); !status) return failure(status);
  if (Status status = check_output_path(options.junit, {FileForm::Text}); !status)
    return failure(status);
  auto model = options.model.request();
  if (!model) return failure(model);
  CheckRequest request{.model = std::move(*model),
                       .convention = options.convention,
                       .budget = options.budget,
                       .baseline = options.baseline};
  std::optional<JobDisplay> display;
  if (options.time.timing.time) {
    auto timing = options.time.request();
    if (!timing) return failure(timing);
    request.time = std::move(*timing);
    display.emplace();
  }
  auto outcome = run_check(request, display ? display->observer() : Observer());
  if (display) display->clear();
  if (!outcome) return failure(outcome);
  if (outcome->interrupted) {
    complain("interrupted before the latency was known");
    return kInterrupted;
  }
  std::string& judged = outcome->outcome.model;
  judged = with_standard_input_named(std::move(judged));
  options.table.limit_to(outcome->bytes, options.model.limit);
  if (Status status = options.table.write(budget::check_document(outcome->outcome)); !status)
    return failure(status);
  if (!options.junit.empty())
    if (Status status = write_output(options.junit, budget::to_junit(outcome->outcome)); !status)
      return failure(status);
  if (options.github)
    if (Status status = write_output("", budget::to_annotations(outcome->outcome)); !status)
      return failure(status);
  return outcome->outcome.is_kept() ? kFine : kBudget;
}

}  // namespace

Command add_check(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("check", "whether a model keeps its budgets");
  app->add_option("model MODEL", options->model.path,
                  "an ONNX or .pt2 file, zoo:NAME, a profile saved as JSON, or - for standard input")
      ->required();
  options->model.add_sizes_to(*app);
  app->add_option("--budget BUDGET", options->budget,
                  "a TOML file, or macs=320M,features.*:macs=10M,no:Einsum,unknown=0")
      ->required();
  app->add_option("--baseline FILE", options->baseline,
                  "model or saved profile that growth is measured from, in place of the file's");
  app->add_option("--count NAME", options->convention,
                  "counting convention of a model (default strata)");
  app->add_option("--junit FILE", options->junit, "also write the verdicts as JUnit XML");
  app->add_flag("--github", options->github, "also print annotations for GitHub");
  options->time.add_to(*app);
  options->table.add_to(*app);
  options->table.add_exact_numbers(*app);
  options->table.add_choice(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
