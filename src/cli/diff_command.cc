#include "cli/command.h"
#include "cli/complain.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/table_options.h"
#include "strata/task/diff.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  std::vector<std::string> files, limits;
  std::string convention = "strata";
  bool all = false;
  TableOptions table;
};

Result<int> run(Options& options) {
  if (Status status = options.table.check("diff"); !status) return failure(status);
  auto model = options.model.request();
  if (!model) return failure(model);
  const DiffRequest request{.files = options.files,
                            .model = std::move(*model),
                            .convention = options.convention,
                            .limits = options.limits};
  const auto outcome = run_diff(request);
  if (!outcome) return failure(outcome);
  options.table.limit_to(outcome->bytes, options.model.limit);
  Document document = compare::diff_document(outcome->comparison, options.all);
  if (Status status = options.table.write(std::move(document)); !status) return failure(status);
  if (outcome->comparison.is_within_limits()) return kFine;
  complain("--fail-on: a limit is not kept");
  return kBudget;
}

}  // namespace

Command add_diff(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("diff", "what differs between models, or saved results");
  app->add_option(
         "files FILES", options->files,
         "two or more: models (.onnx, .pt2), zoo:NAME, or documents saved as JSON; all are "
         "compared with the first")
      ->required();
  options->model.add_sizes_to(*app);
  app->add_option("--count NAME", options->convention,
                  "counting convention of models (default strata)");
  app->add_flag("--all", options->all, "also rows without a difference");
  app->add_option("--fail-on LIMIT", options->limits,
                  "exit code 3 if a total changes by more: latency>+5%, macs>0, peak>+1MB "
                  "(repeatable, or with commas)");
  options->table.add_to(*app);
  options->table.add_exact_numbers(*app);
  options->table.add_choice(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
