#include <algorithm>

#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "read/standard_input.h"
#include "strata/task/diff.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  std::vector<std::string> files;
  DiffRequest request;  // what the model's options are not
  bool all = false;
  TableOptions table;
};

Result<int> run(Options& options) {
  if (Status status = options.table.check("diff"); !status) return failure(status);
  DiffRequest& request = options.request;
  if (Status status = options.model.read_into(request.model); !status) return failure(status);
  auto files = options.model.sources.all(options.files);
  if (!files) return failure(files);
  request.files = std::move(*files);
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
  if (code && !kept) complain("--fail-on: a limit is exceeded");
  return code;
}

}  // namespace

Command add_diff(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("diff", "compare models or saved results");
  app->add({{"files", &options->files}});
  options->model.add_sizes_to(*app);
  options->model.add_wait_to(*app, [options = options.get()] {
    return std::any_of(options->files.begin(), options->files.end(), [&](const std::string& file) {
      return options->model.sources.may_be_run(file);
    });
  });
  app->add({{"--count", &options->request.convention},
            {"--as-stored", &options->request.as_stored},
            {"--all", &options->all},
            {"--fail-on", &options->request.limits}});
  options->table.add_to(*app, Exact::Numbers);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
