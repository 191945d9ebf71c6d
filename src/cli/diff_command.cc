#include "base/standard_input.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/table_options.h"
#include "options/options.h"
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
  DiffRequest request{.files = options.files,
                      .model = std::move(*model),
                      .convention = options.convention,
                      .limits = options.limits};
  for (std::string& file : request.files) {
    auto path = input_path(file);
    if (!path) return failure(path);
    file = std::move(*path);
  }
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
  const auto code = options.table.print(std::move(document), kept ? kFine : kBudget);
  if (code && !kept) complain("--fail-on: a limit is not kept");
  return code;
}

}  // namespace

Command add_diff(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("diff", "what differs between models, or saved results");
  app->add({{"files", &options->files}});
  options->model.add_sizes_to(*app);
  app->add({{"--count", &options->convention},
            {"--all", &options->all},
            {"--fail-on", &options->limits}});
  options->table.add_to(*app);
  options->table.add_exact_numbers(*app);
  options->table.add_choice(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
