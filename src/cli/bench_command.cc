#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <memory>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "cli/bench_run.h"
#include "cli/bench_variants.h"
#include "cli/interrupt.h"
#include "strata/report/bench.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

struct BenchCommand {
  BenchChoices choices;
  ModelSettings settings;
  BenchOptions method;
  std::string until = "1%", max_time = "60s", timeout = "2min", memory_limit, rate, sustained;
  std::string shapes;
  std::string format = "table", layout, output;
  std::size_t width = 0;
  bool aa = false;
  int trials = 1000;
  CLI::Option* width_option = nullptr;
};

constexpr const char* kFooter =
    "Examples:\n"
    "  strata bench resnet50.onnx --engine onnxruntime,onnxruntime:opt=off\n"
    "  strata bench zoo:resnet50 zoo:mobilenet_v2 --threads 1,2 --batch 1,4\n"
    "  strata bench --pair torch=m.pt,onnxruntime=m.onnx --base torch --layout torchblade\n"
    "  strata bench m.onnx --precision fp32,int8 --int8 m=m_int8.onnx --format json -o m.json\n"
    "  strata bench m.onnx --rate 40/s --poisson\n"
    "  strata bench decoder.onnx --shapes min=1x16,opt=1x128,max=1x512\n"
    "  strata bench m.onnx --aa\n"
    "\n"
    "A variant is written ENGINE:KEY=VALUE,… PRECISION N threads batch N, without what is the\n"
    "usual: `onnxruntime:opt=off int8 2 threads batch 4`.";

// ----- options

template <class Number>
Status take(const std::string& text, Quantity quantity, const char* option, Number& out) {
  if (text.empty()) return {};
  const auto number = parse_quantity(text, quantity);
  if (!number)
    return failure(fmt::format("{}: {}", option, number.error().message), number.error().kind);
  out = static_cast<Number>(*number);
  return {};
}

Status take_method(BenchCommand& command) {
  BenchOptions& method = command.method;
  const auto usage = [](const char* text) { return failure(text, ErrorKind::Usage); };
  if (!command.rate.empty() && !command.sustained.empty())
    return usage("--rate and --sustained are two kinds of load; choose one");
  if (method.load.poisson && command.rate.empty()) return usage("--poisson belongs to --rate");
  const Status statuses[] = {
      take(command.until, Quantity::Share, "--until", method.until),
      take(command.max_time, Quantity::Seconds, "--max-time", method.max_seconds),
      take(command.timeout, Quantity::Seconds, "--timeout", method.limits.timeout_seconds),
      take(command.memory_limit, Quantity::Bytes, "--memory-limit", method.limits.memory_bytes),
      take(command.rate, Quantity::PerSecond, "--rate", method.load.rate),
      take(command.sustained, Quantity::Seconds, "--sustained", method.load.seconds)};
  for (const Status& status : statuses)
    if (!status) return status;
  for (const auto& [option, seconds] : {std::pair("--max-time", method.max_seconds),
                                        std::pair("--timeout", method.limits.timeout_seconds)})
    if (seconds <= 0) return failure(fmt::format("{} must be above 0", option), ErrorKind::Usage);
  if (!command.rate.empty()) method.load.kind = LoadMode::Kind::Rate;
  if (!command.sustained.empty()) {
    method.load.kind = LoadMode::Kind::Sustained;
    if (method.load.seconds <= 0) return usage("--sustained must be above 0");
  }
  method.seed = command.settings.seed;
  if (!command.shapes.empty()) {
    auto shapes = parse_shapes(command.shapes);
    if (!shapes) return tl::unexpected(shapes.error());
    command.settings.shapes = std::move(*shapes);
    if (!command.settings.inputs.empty() || !command.settings.input_shapes.empty())
      return usage("--shapes says what the inputs are; leave out --input and --inputs");
  }
  if (command.aa && !command.layout.empty()) return usage("--aa has no --layout");
  return {};
}

// ----- running

Result<BenchAa> run_check(const PlannedGroup& planned, BenchOptions options, int trials) {
  const PlannedVariant& base = planned.variants[planned.base];
  if (!base.refusal.empty()) return failure(base.refusal);
  options.progress = [&](const BenchProgress& progress) { show_progress(planned.model, progress); };
  auto check = run_aa(base.variant, trials, options);
  clear_progress();
  if (!check) return tl::unexpected(check.error());
  BenchAa aa{base.variant, *check};
  name_files(base, aa.variant);
  return aa;
}

// A model of which nothing is known: one row that says why.
BenchGroup refused_model(const ModelChoice& model, const std::string& engine,
                         const std::string& reason) {
  BenchGroup group{model.name};
  VariantResult& row = group.result.variants.emplace_back();
  row.variant.model = model.name;
  row.variant.engine = engine;
  row.variant.file = model.file_for(engine);
  row.failure = Failure::Refused;
  row.reason = reason;
  return group;
}

// ----- output

Result<std::string> text_of(const BenchRun& run, const BenchCommand& command) {
  const BenchLayout layout = command.layout.empty() ? BenchLayout::Own : BenchLayout::Torchblade;
  if (command.format == "json") return bench_to_json(run);
  if (command.format == "csv") return bench_to_csv(run, layout);
  if (command.format == "md") return bench_to_markdown(run, layout);
  TableStyle style;
  style.width = command.width_option->count() > 0 ? command.width : terminal_width();
  if (!command.output.empty() && command.width_option->count() == 0) style.width = 0;
  style.color = command.output.empty() && wants_color();
  return bench_to_table(run, style, layout);
}

// A file is whole at any moment: an interrupted run leaves what was there, or what was
// measured until then.
Status write_run(const BenchRun& run, const BenchCommand& command) {
  auto text = text_of(run, command);
  if (!text) return tl::unexpected(text.error());
  if (command.output.empty() || command.output == "-") return write_output("", *text);
  auto file = OutputFile::create(command.output);
  if (!file) return tl::unexpected(file.error());
  if (auto status = file->write(*text); !status) return status;
  return file->commit();
}

bool measured_anything(const BenchRun& run) {
  for (const BenchGroup& group : run.groups)
    for (const VariantResult& result : group.result.variants)
      if (result.runs() > 0) return true;
  return !run.aa.empty();
}

// All groups of one model, written as soon as each is done.
Status run_model(const ModelChoice& model, const BenchPlan& plan, BenchCommand& command,
                 EngineFacts& engines, BenchRun& run) {
  auto scratch = ScratchFolder::create();
  if (!scratch) return tl::unexpected(scratch.error());
  ModelFiles files(command.settings, *scratch);
  const auto groups = plan_model(model, plan, command.choices, command.settings, files, engines);
  if (!groups) {
    if (plan.models.size() == 1 || groups.error().kind == ErrorKind::Usage)
      return tl::unexpected(groups.error());
    run.groups.push_back(refused_model(model, plan.engines.front().engine, groups.error().message));
    return {};
  }
  BenchOptions options = command.method;
  // The limit is of a model, whatever its shapes are.
  options.max_seconds /= static_cast<double>(groups->size());
  options.load.seconds /= static_cast<double>(groups->size());
  for (const PlannedGroup& group : *groups) {
    if (StopOnInterrupt::stopped()) break;
    if (command.aa) {
      auto aa = run_check(group, options, command.trials);
      if (!aa) return tl::unexpected(aa.error());
      run.aa.push_back(std::move(*aa));
      continue;
    }
    auto measured = run_group(group, options);
    if (!measured) return tl::unexpected(measured.error());
    run.groups.push_back(std::move(*measured));
    if (!command.output.empty() && command.output != "-")
      if (auto status = write_run(run, command); !status) return status;
  }
  return {};
}

Result<int> run_command(BenchCommand& command, const CLI::App& app) {
  if (auto status = take_method(command); !status) return tl::unexpected(status.error());
  const auto plan = make_plan(command.choices);
  if (!plan) return tl::unexpected(plan.error());
  if (plan->models.size() > 1 && !command.settings.inputs.empty())
    return failure(fmt::format("--inputs are of one model, and there are {}", plan->models.size()),
                   ErrorKind::Usage);
  if (!command.output.empty() && command.output != "-")  // before the work, not after it
    if (const auto file = OutputFile::create(command.output); !file)
      return tl::unexpected(file.error());
  BenchRun run;
  run.program = version_text();
  run.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  run.options = given_options(app);
  run.machine = named_facts(read_machine());  // the load before, not of, the measurement
  run.complete = false;
  const StopOnInterrupt interrupt;
  command.method.limits.stop = &StopOnInterrupt::flag();
  run.method = command.method;
  run.method.limits.stop = nullptr;
  EngineFacts engines(command.choices.engine_path, command.choices.device,
                      command.choices.provider);
  for (const ModelChoice& model : plan->models) {
    if (StopOnInterrupt::stopped()) break;
    if (auto status = run_model(model, *plan, command, engines, run); !status)
      return tl::unexpected(status.error());
  }
  const bool stopped = StopOnInterrupt::stopped();
  run.complete = !stopped;
  if (auto status = write_run(run, command); !status) return tl::unexpected(status.error());
  // Data have no room for it.
  if (command.layout == "torchblade" && command.format == "csv")
    if (const std::string headline = bench_headline(run); !headline.empty())
      fmt::print(stderr, "{}\n", headline);
  if (stopped) return kInterrupted;
  return measured_anything(run) ? kFine : kFailed;
}

void add_choices(CLI::App& app, BenchCommand& command) {
  BenchChoices& choices = command.choices;
  const auto list = [&](const char* option, std::vector<std::string>& out, const char* help,
                        const char* text) {
    app.add_option(option, out, help)->allow_extra_args(false)->option_text(text);
  };
  app.add_option("models", choices.models, "files, or zoo:NAME")->option_text("MODEL…");
  list("--pair", choices.pairs, "one model as files of several engines (repeatable)",
       "ENGINE=FILE,…");
  list("--engine", choices.engines, "engines with their options (onnxruntime)",
       "ENGINE[:KEY=VALUE,…],…");
  list("--precision", choices.precisions, "fp32, bf16, fp16, int8 (as stored)", "LIST");
  list("--int8", choices.int8, "the quantized form of a model (repeatable)", "MODEL=FILE");
  app.add_option("--data", choices.data.path,
                 "samples that int8 is calibrated on where strata makes it (random)")
      ->option_text("DIR");
  app.add_option("--samples", choices.data.data.samples, "of them (16)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  list("--batch", choices.batches, "samples in an inference (the file's own)", "LIST");
  list("--threads", choices.threads, "that an engine uses (1)", "LIST");
  list("--input", command.settings.input_shapes, "shape of an input (repeatable)",
       "NAME=1x3x224x224");
  list("--dim", command.settings.sizes, "size of a symbol in the shapes (repeatable)", "NAME=SIZE");
  app.add_option("--shapes", command.shapes, "three shapes, and a random mix of them")
      ->option_text("min=…,opt=…,max=…");
  list("--inputs", command.settings.inputs, "elements of the inputs: .npy, .npz, .pb (repeatable)",
       "[NAME=]FILE");
  app.add_option("--seed", command.settings.seed,
                 "of made-up inputs and weights, and of the order of blocks (0)")
      ->option_text("N");
  app.add_option("--engine-path", choices.engine_path, "folders to look for engines in")
      ->option_text("DIR:DIR");
  app.add_option("--device", choices.device, "what to run on: cpu, cuda:0")->option_text("NAME");
  app.add_option("--provider", choices.provider, "the engine's own backend: tensorrt, openvino, …")
      ->option_text("NAME");
  app.add_option("--base", choices.base, "the variant that others are compared with (the first)")
      ->option_text("VARIANT");
}

void add_method(CLI::App& app, BenchCommand& command) {
  BenchOptions& method = command.method;
  app.add_option("--until", command.until, "stop when every speed-up is known so well (1%)")
      ->option_text("SHARE");
  app.add_option("--max-time", command.max_time, "at most so long for a model (60s)")
      ->option_text("TIME");
  app.add_option("--processes", method.processes,
                 fmt::format("at least so many for each variant ({})", method.processes))
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  app.add_option("--warmup", method.warmup, "inferences before; until they settle if not given")
      ->check(CLI::Range(0, 1'000'000))
      ->option_text("N");
  app.add_option("--timeout", command.timeout, "a variant that does not answer is ended (2min)")
      ->option_text("TIME");
  app.add_option("--memory-limit", command.memory_limit, "address space of a process")
      ->option_text("SIZE");
  app.add_option("--rate", command.rate, "inferences at fixed moments, waiting included: 40/s")
      ->option_text("RATE");
  app.add_flag("--poisson", method.load.poisson, "at random moments of that mean rate");
  app.add_option("--sustained", command.sustained, "without a break, with the drift: 30min")
      ->option_text("TIME");
  app.add_option("--min-sqnr", method.answers.min_sqnr, "dB that a lossy answer must have (20)")
      ->check(CLI::Range(-1000.0, 1000.0))
      ->option_text("DB");
  app.add_option("--max-error", method.answers.relative_error,
                 "relative error that an fp32 answer may have (0.001)")
      ->check(CLI::Range(0.0, 1e30))
      ->option_text("X");
  app.add_flag("--aa", command.aa, "the base against itself: how often this machine misleads");
  app.add_option("--trials", command.trials, "of --aa (1000)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
}

}  // namespace

Command add_bench(CLI::App& program) {
  auto command = std::make_shared<BenchCommand>();
  CLI::App* app =
      program.add_subcommand("bench", "which engine, precision, threads and batch are fastest");
  app->footer(kFooter);
  add_choices(*app, *command);
  add_method(*app, *command);
  app->add_option("--format", command->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_option("--layout", command->layout, "the columns of another table: torchblade")
      ->check(CLI::IsMember({"torchblade"}))
      ->option_text("TOOL");
  app->add_option("-o,--output", command->output, "write to a file")->option_text("FILE");
  command->width_option =
      app->add_option("--width", command->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  return {app, [command, app] { return run_command(*command, *app); }};
}

}  // namespace strata::cli
