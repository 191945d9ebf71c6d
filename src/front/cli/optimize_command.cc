// The fastest way to run a model at a stated quality: engine options × precision × threads.
#include <fmt/format.h>

#include "cli/bench_choices.h"
#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/outlet.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/optimize.h"

namespace strata::cli {

namespace {

struct Options {
  BenchChoices choices;
  TableOptions table;
  OptimizeRequest request;  // what the choices are not
  std::string model;
};

std::string command_for(const std::vector<std::string>& inputs, const Variant& variant,
                        const std::string& file) {
  std::string engine = variant.engine;
  if (!variant.style.empty()) engine += ":" + variant.style;
  std::string command = fmt::format("strata bench {} --engine {} --threads {}", file, engine,
                                    variant.session.threads);
  // A TorchScript file does not state the shapes of its inputs.
  if (variant.engine == "torch")
    for (const std::string& input : inputs) command += fmt::format(" --input {}", input);
  return command;
}

Status read_options(Options& options) {
  options.choices.models = {options.model};
  auto variants = options.choices.read();
  if (!variants) return failure(variants);
  if (Status status = refuse_files(variants->inputs); !status) return status;
  options.request.variants = std::move(*variants);
  options.request.variants.caller.program = version_text();
  options.request.command = [inputs = options.choices.inputs](const Variant& variant,
                                                              const std::string& file) {
    return command_for(inputs, variant, file);
  };
  return options.table.check("optimization");
}

// The table of all that was measured, and what follows from it.
Status print(const OptimizeOutcome& outcome, const TableOptions& table) {
  Document document = outcome.written
                          ? optimize_document(*outcome.written, outcome.tried, "--max-time")
                          : bench_document(outcome.tried);
  document.notes = urgent_notes(outcome.notes);
  if (!document.notes.empty()) document.sections.push_back(notes_section(document.notes));
  return outcome.interrupted ? table.write_partial(std::move(document))
                             : table.write(std::move(document));
}

Result<int> run(Options& options) {
  if (Status status = read_options(options); !status) return failure(status);
  JobDisplay display;
  const auto outcome = display.run(run_optimize, options.request);
  if (!outcome) return failure(outcome);
  const auto& groups = outcome->tried.groups;
  const bool cut = outcome->interrupted && !outcome->written;
  if (!cut || (!groups.empty() && groups.front().result.winner))
    if (auto status = print(*outcome, options.table); !status) return failure(status);
  if (cut) complain(fmt::format("interrupted: {} was not written", options.request.output));
  if (outcome->interrupted) return kInterrupted;
  if (!outcome->written) return failure(outcome->not_written);
  return outcome->written->is_slower() ? kBudget : kFine;
}

}  // namespace

Command add_optimize(App& program) {
  auto options = std::make_shared<Options>();
  OptimizeRequest& request = options->request;
  App* app = program.add_subcommand("optimize", "write the fastest verified form of a model");
  app->add({{"model", &options->model},
            {"--output", &request.output},
            {"--max-time", &request.seconds}});
  options->choices.add_to(*app);
  app->add({{"--random", &request.random},
            {"--min-sqnr", &request.min_sqnr},
            {"--max-drop", &request.max_drop}});
  app->need_that(
      {"--data", "--random", "--int8", "--min-sqnr", "--max-drop"},
      [options] { return options->choices.precisions.empty() || options->choices.names_int8(); },
      "nothing is tried in int8; add int8 to --precision");
  options->table.add_to(*app, Exact::Numbers, "--table");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
