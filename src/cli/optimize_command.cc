// The fastest way to run a model at a stated quality: engine options × precision × threads.
#include <fmt/format.h>

#include "cli/bench_choices.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "strata/task/optimize.h"

namespace strata::cli {

namespace {

struct Options {
  BenchChoices choices;
  TableOptions table;
  OptimizeRequest request;  // what the choices are not
  std::string model;
};

std::string command_for(const Variant& variant, const std::string& file) {
  std::string engine = variant.engine;
  if (!variant.style.empty()) engine += ":" + variant.style;
  return fmt::format("strata bench {} --engine {} --threads {}", file, engine,
                     variant.session.threads);
}

Status read_options(Options& options) {
  options.choices.models = {options.model};
  auto variants = options.choices.read();
  if (!variants) return failure(variants);
  if (!variants->inputs.empty())
    return failure(fmt::format("--input {}: this command needs no elements; write a shape as "
                               "NAME=1x3x224x224",
                               variants->inputs.front()),
                   ErrorKind::Usage);
  options.request.variants = std::move(*variants);
  options.request.variants.caller.program = version_text();
  options.request.command = command_for;
  return options.table.check("optimization");
}

// The table of all that was measured, and what follows from it.
Status print(const OptimizeOutcome& outcome, const TableOptions& table) {
  Document document = outcome.written
                          ? optimize_document(*outcome.written, outcome.tried, "--max-time")
                          : bench_document(outcome.tried);
  document.notes = outcome.notes;
  if (!document.notes.empty()) document.sections.push_back(notes_section(document.notes));
  return table.write(std::move(document), table.style());
}

Result<int> run(Options& options) {
  if (Status status = read_options(options); !status) return failure(status);
  JobDisplay display;
  const auto outcome = run_optimize(options.request, display.observer());
  display.clear();
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
  App* app = program.add_subcommand("optimize", "the fastest way to run it, as a file");
  app->add_option("model MODEL", options->model, "a file, zoo:NAME, or - for standard input")
      ->required();
  app->add_option("-o,--output OUT", request.output, "the model to write")->required()->file_only();
  Option* max_time = app->add_quantity("--max-time TIME", Quantity::TimeLimit, request.seconds,
                                       "how long to search (default 2min)");
  app->old_name("--budget", max_time);
  options->choices.add_to(*app);
  Option* random =
      app->add_flag("--random", request.random, "allow int8 from random samples, for a dry run");
  Option* min_sqnr = app->add_option("--min-sqnr DB", request.min_sqnr,
                                     "dB that answers in int8 must have (default 20)")
                         ->within(-1000.0, 1000.0);
  Option* max_drop = app->add_quantity("--max-drop SHARE", Quantity::Share, request.max_drop,
                                       "share of samples that may get another class: 1%");
  Option* data =
      app->get_option("--data")->description("samples to make int8 from and to judge it on");
  Option* int8 =
      app->get_option("--int8")->description("file with the quantized form of the model");
  app->get_option("--samples")->needs({data, random}, "there are no samples");
  all_need({min_sqnr, max_drop}, {data, random, int8}, "nothing is tried in int8");
  all_need(
      {data, random, int8, min_sqnr, max_drop},
      [options] { return options->choices.precisions.empty() || options->choices.names_int8(); },
      "nothing is tried in int8; add int8 to --precision");
  app->get_option("--engine")
      ->description("engines to try, with their options (default: all there are)");
  app->get_option("--precision")
      ->description("precisions to try (default fp32, and int8 with samples)");
  app->get_option("--threads")
      ->description("numbers of threads to try (default: 1 to all cores, doubling)");
  options->table.add_to(*app, "--table");
  options->table.add_choice(*app);
  options->table.add_exact_numbers(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
