#include "base/standard_input.h"
#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/diff.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  DiffRequest request;  // what the model's options are not
  bool all = false;
  TableOptions table;
};

Result<int> run(Options& options) {
  if (Status status = options.table.check("diff"); !status) return failure(status);
  DiffRequest& request = options.request;
  if (Status status = options.model.read_into(request.model); !status) return failure(status);
  if (Status status = find_inputs(request.files); !status) return failure(status);
  auto outcome = run_diff(request);
  if (!outcome) return failure(outcome);
  for (compare::Side& side : outcome->comparison.sides)
    side.label = with_standard_input_named(std::move(side.label));
  options.table.limit_to(outcome->bytes, options.model.limit);
  // A chart along the network has places for all layers.
  const bool all = options.all || (options.table.in_depth() && !options.table.chooses());
  // Whoever chooses may name columns of either form, and a caller in this process may ask for both.
  const bool both = options.table.chooses() || options.table.in_depth() || outlet() != nullptr;
  Document document = compare::diff_document(
      outcome->comparison, {.all = all,
                            .numbers = both || options.table.has_all() || options.table.exact,
                            .shown = both || !options.table.is_data()});
  const bool kept = outcome->comparison.is_within_limits();
  auto code = options.table.print(std::move(document), kept ? kFine : kBudget);
  if (code && !kept) complain("--fail-on: a limit is not kept");
  return code;
}

}  // namespace

Command add_diff(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("diff", "what differs between models, or saved results");
  app->add({{"files", &options->request.files}});
  options->model.add_sizes_to(*app);
  options->model.add_wait_to(
      *app, [options = options.get()] { return may_be_run(options->request.files); });
  app->add({{"--count", &options->request.convention},
            {"--all", &options->all},
            {"--fail-on", &options->request.limits}});
  options->table.add_to(*app, Exact::Numbers);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
