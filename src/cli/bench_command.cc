#include <memory>

#include <fmt/format.h>

#include "cli/bench_choices.h"
#include "cli/command.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
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

Status read_method(const BenchCommand& command, BenchOptions& method) {
  if (command.rate && command.sustained)
    return failure("--rate and --sustained are two kinds of load; choose one", ErrorKind::Usage);
  LoadMode& load = method.load;
  if (command.rate) load.kind = LoadMode::Kind::Rate, load.rate = *command.rate;
  if (command.sustained) load.kind = LoadMode::Kind::Sustained, load.seconds = *command.sustained;
  if (command.memory_limit)
    method.limits.memory_bytes = static_cast<std::int64_t>(*command.memory_limit);
  return {};
}

Result<BenchRequest> read_request(const BenchCommand& command, const App& app) {
  auto request = command.choices.read();
  if (!request) return failure(request);
  if (auto status = read_method(command, request->method); !status) return failure(status);
  if (!command.shapes.empty()) {
    auto shapes = of_option("--shapes", parse_shape_choices(command.shapes));
    if (!shapes) return failure(shapes);
    request->shapes = std::move(*shapes);
  }
  if (request->models.size() > 1 && !request->inputs.empty())
    return failure(fmt::format("--input {}: a file has the elements of one model, and there are {}",
                               request->inputs.front(), request->models.size()),
                   ErrorKind::Usage);
  if (command.aa) request->aa_trials = command.trials;
  request->caller = {version_text(), given_options(app)};
  return request;
}

// ----- output

// An interrupted run leaves what was measured until then.
Status write_run(const BenchRun& run, const BenchCommand& command) {
  const BenchLayout layout = command.layout.empty() ? BenchLayout::Own : BenchLayout::Torchblade;
  return command.table.write(bench_document(run, layout));
}

Result<int> run_command(const BenchCommand& command, const App& app) {
  auto request = read_request(command, app);
  if (!request) return failure(request);
  if (Status status = command.table.check("bench"); !status) return failure(status);
  if (!command.table.output.empty() && command.table.output != "-")
    request->keep = [&](const BenchRun& run) { return write_run(run, command); };
  JobDisplay display;
  const auto run = run_bench(*request, display.observer());
  display.clear();
  if (!run) return failure(run);
  if (auto status = write_run(*run, command); !status) return failure(status);
  // Data have no room for it.
  if (command.layout == "torchblade" && command.table.format() == "csv")
    if (const std::string headline = bench_headline(*run); !headline.empty())
      fmt::print(stderr, "{}\n", printable(headline));
  if (!run->complete) return kInterrupted;
  return run->has_results() ? kFine : kFailed;
}

void add_choices(App& app, BenchCommand& command) {
  BenchChoices& choices = command.choices;
  choices.add_to(app);
  app.get_option("--input")
      ->option_text("NAME=SHAPE|FILE")
      ->description(
          "an input's shape (1x3x224x224), or a .npy, .npz or .pb file of its elements "
          "(repeatable)");
  app.old_name("--inputs", app.get_option("--input"));
  app.add_option("models MODEL…", choices.models, "files, zoo:NAME, or - for standard input");
  app.add_option("--pair ENGINE=FILE,…", choices.pairs,
                 "one model as files of several engines (repeatable)");
  const Option* shapes = app.add_option("--shapes min=…,opt=…,max=…", command.shapes,
                                        "three shapes, and a random mix of them");
  app.get_option("--input")->excludes(shapes, "--shapes says what the inputs are");
  all_need(
      {app.get_option("--int8"), app.get_option("--data"), app.get_option("--samples")},
      [&choices] { return choices.names_int8(); },
      "no variant is in int8; add int8 to --precision");
  app.add_option("--device NAME", choices.request.device, "device to run on: cpu, cuda:0");
  app.add_option("--provider NAME", choices.request.provider,
                 "the engine's own backend: tensorrt, openvino, …");
  app.add_option("--base VARIANT", choices.request.base,
                 "variant that the others are compared with (default: the first)");
}

void add_method(App& app, BenchCommand& command) {
  BenchOptions& method = command.choices.request.method;
  Option* until = app.add_quantity("--until SHARE", Quantity::Share, method.until,
                                   "stop when every speed-up is known so well (default 1%)");
  Option* max_time = app.add_quantity("--max-time TIME", Quantity::TimeLimit, method.max_seconds,
                                      "how long to measure a model at most (default 60s)");
  Option* processes =
      app.add_option("--processes N", method.processes,
                     fmt::format("least number of processes for each variant (default {})",
                                 method.processes))
          ->within(1, 1000);
  app.add_option("--warmup N", method.warmup,
                 "number of inferences before measuring; until they settle if not given")
      ->within(0, 1'000'000);
  Option* max_wait =
      app.add_quantity("--max-wait TIME", Quantity::TimeLimit, method.limits.timeout_seconds,
                       "end a variant that does not answer for so long "
                       "(default 2min)");
  app.old_name("--timeout", max_wait);
  app.add_quantity("--memory-limit SIZE", Quantity::Bytes, command.memory_limit,
                   "address space that a process may take");
  const Option* rate = app.add_quantity("--rate RATE", Quantity::PerSecond, command.rate,
                                        "run at fixed moments, and count the waiting: 40/s");
  app.add_flag("--poisson", method.load.poisson, "run at random moments of that mean rate")
      ->needs({rate}, "there is no rate");
  const Option* sustained =
      app.add_quantity("--sustained TIME", Quantity::TimeLimit, command.sustained,
                       "run without a break, and show the drift: 30min");
  for (Option* option : {until, max_time, processes})
    option->excludes(sustained, "--sustained says how long it runs, in one process");
  app.add_option("--min-sqnr DB", method.answers.min_sqnr,
                 "dB that a lossy answer must have (default 20)")
      ->within(-1000.0, 1000.0);
  app.add_option("--max-error X", method.answers.relative_error,
                 "relative error that an fp32 answer may have (default 0.001)")
      ->within(0.0, 1e30);
  const Option* aa = app.add_flag("--aa", command.aa,
                                  "compare the base with itself: how often this machine misleads");
  until->excludes(aa, "--aa measures as long as there is time");
  app.add_option("--trials N", command.trials, "number of comparisons of --aa (default 1000)")
      ->within(1, 1'000'000)
      ->needs({aa}, "nothing is compared with itself");
  app.add_option("--layout TOOL", command.layout, "the columns of another table: torchblade")
      ->one_of({"torchblade"})
      ->excludes(aa, "--aa has a table of its own")
      ->needs([&command] { return command.table.format() != "json"; },
              "json has every column; take --format table, csv or md");
}

}  // namespace

Command add_bench(App& program) {
  auto command = std::make_shared<BenchCommand>();
  App* app =
      program.add_subcommand("bench", "which engine, precision, threads and batch are fastest");
  add_choices(*app, *command);
  add_method(*app, *command);
  command->table.add_to(*app);
  command->table.add_choice(*app);
  command->table.add_exact_numbers(*app);
  return {app, [command, app] { return run_command(*command, *app); }};
}

}  // namespace strata::cli
