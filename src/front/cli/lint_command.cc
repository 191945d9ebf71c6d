#include "cli/command.h"
#include "cli/model_options.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/profile/split.h"
#include "strata/task/lint.h"

namespace strata::cli {

namespace {

struct Options {
  std::string file, model, device;
  std::uint64_t samples = 0;
  TableOptions table;
};

Result<LintRequest> request_of(const Options& options) {
  auto file = input_path(options.file);
  if (!file) return failure(file);
  LintRequest request{.file = std::move(*file)};
  if (!options.model.empty()) request.model = ModelRequest{.source = options.model};
  if (options.samples > 0) request.samples = options.samples;
  if (!options.device.empty()) {
    const auto speed = of_option("--device:", parse_machine_speed(options.device));
    if (!speed) return failure(speed);
    request.peak_flops_per_s = speed->flops_per_second;
    request.peak_bytes_per_s = speed->bytes_per_second;
  }
  return request;
}

Result<int> run(const Options& options) {
  if (Status status = options.table.check("lint"); !status) return failure(status);
  auto request = request_of(options);
  if (!request) return failure(request);
  const auto outcome = run_lint(*request);
  if (!outcome) return failure(outcome);
  Document document = lint::lint_document(outcome->claims, outcome->findings);
  if (options.table.chooses()) document.sections.clear();
  return options.table.print(std::move(document), outcome->findings.empty() ? kFine : kBudget);
}

}  // namespace

Command add_lint(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("lint", "find physically impossible numbers in any profile");
  app->add({{"file", &options->file},
            {"--model", &options->model},
            {"--device", &options->device},
            {"--samples", &options->samples}});
  options->table.add_to(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
