#include <memory>

#include <fmt/format.h>

#include "cli/bench_choices.h"
#include "cli/command.h"
#include "cli/job_display.h"
#include "cli/outlet.h"
#include "cli/printable.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/report/bench.h"

namespace strata::cli {

namespace {

struct BenchCommand {
  BenchChoices choices;
  TableOptions table;
  std::optional<double> rate, sustained, memory_limit;
  std::string shapes;
  std::string layout;
  bool aa = false;
  int trials = 1000;
};

// ----- options

void read_method(const BenchCommand& command, BenchOptions& method) {
  LoadMode& load = method.load;
  if (command.rate) load.kind = LoadMode::Kind::Rate, load.rate = *command.rate;
  if (command.sustained) load.kind = LoadMode::Kind::Sustained, load.seconds = *command.sustained;
  if (command.memory_limit)
    method.limits.memory_bytes = static_cast<std::int64_t>(*command.memory_limit);
}

Result<BenchRequest> read_request(const BenchCommand& command, const App& app) {
  auto request = command.choices.read();
  if (!request) return failure(request);
  read_method(command, request->method);
  if (!command.shapes.empty()) {
    auto shapes = of_option("--shapes", parse_shape_choices(command.shapes));
    if (!shapes) return failure(shapes);
    request->shapes = std::move(*shapes);
  }
  if (request->models.size() > 1 && !request->inputs.empty())
    return failure(Code::OptionValue, {.name = "--input"},
                   fmt::format("--input {}: a file has the elements of one model, and there are {}",
                               request->inputs.front(), request->models.size()));
  if (command.aa) request->aa_trials = command.trials;
  request->caller = {version_text(), given_options(app)};
  return request;
}

// ----- output

Document document_of(const BenchRun& run, const BenchCommand& command) {
  const BenchLayout layout = command.layout.empty() ? BenchLayout::Own : BenchLayout::Torchblade;
  return bench_document(run, layout);
}

Result<int> run_command(const BenchCommand& command, const App& app) {
  auto request = read_request(command, app);
  if (!request) return failure(request);
  if (Status status = command.table.check("bench"); !status) return failure(status);
  if (!command.table.output.empty() && command.table.output != "-")
    request->keep = [&](const BenchRun& run) -> Status {
      if (!run.has_results()) return {};
      return command.table.write_partial(document_of(run, command));
    };
  JobDisplay display;
  const auto run = run_bench(*request, display.observer());
  display.clear();
  if (!run) return failure(run);
  if (!run->complete && !run->has_results() && run->aa.empty())
    return interrupted("interrupted before anything was measured");
  if (!run->complete) return command.table.print_partial(document_of(*run, command));
  if (auto status = command.table.write(document_of(*run, command)); !status)
    return failure(status);
  command.table.remove_partial();
  // Data have no room for it.
  if (command.layout == "torchblade" && command.table.format() == "csv")
    if (const std::string headline = bench_headline(*run); !headline.empty())
      say(printable(headline));
  return run->has_results() ? kFine : kFailed;
}

void add_choices(App& app, BenchCommand& command) {
  BenchChoices& choices = command.choices;
  choices.add_to(app);
  app.need_that(
      {"--int8", "--data", "--samples"}, [&choices] { return choices.names_int8(); },
      "no variant is in int8; add int8 to --precision");
  app.add({{"models", &choices.models},
           {"--pair", &choices.pairs},
           {"--shapes", &command.shapes},
           {"--device", &choices.request.device},
           {"--provider", &choices.request.provider},
           {"--base", &choices.request.base}});
}

void add_method(App& app, BenchCommand& command) {
  BenchOptions& method = command.choices.request.method;
  app.add({{"--until", &method.until},
           {"--max-time", &method.max_seconds},
           {"--processes", &method.processes},
           {"--warmup", &method.warmup},
           {"--memory-limit", &command.memory_limit},
           {"--rate", &command.rate},
           {"--poisson", &method.load.poisson},
           {"--sustained", &command.sustained},
           {"--min-sqnr", &method.answers.min_sqnr},
           {"--max-error", &method.answers.relative_error},
           {"--aa", &command.aa},
           {"--trials", &command.trials},
           {"--layout", &command.layout}});
  app.need_that(
      {"--layout"}, [&command] { return command.table.format() != "json"; },
      "json has every column; take --format table, csv or md");
}

}  // namespace

Command add_bench(App& program) {
  auto command = std::make_shared<BenchCommand>();
  App* app =
      program.add_subcommand("bench", "find the fastest engine, precision, threads and batch");
  add_choices(*app, *command);
  add_method(*app, *command);
  command->table.add_to(*app, Exact::Numbers);
  return {app, [command, app] { return run_command(*command, *app); }};
}

}  // namespace strata::cli
