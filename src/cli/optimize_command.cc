// The fastest way to run a model at a stated quality: engine options × precision × threads.
#include <sched.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "cli/bench_run.h"
#include "cli/interrupt.h"
#include "cli/optimize_report.h"
#include "quant/agreement.h"
#include "strata/read/read.h"
#include "strata/write/onnx.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

struct Options {
  BenchChoices choices;
  ModelSettings settings;
  std::string model, output, budget = "2min", max_drop;
  double min_sqnr = 20;  // dB
  bool random = false;   // int8 from made-up samples, for a dry run
  std::size_t width = 0;
};

constexpr const char* kFooter =
    "All variants are measured by turns, the slow ones drop out, the rest is measured again,\n"
    "and what was written is checked against the best of them. int8 is made by strata from the\n"
    "samples of --data, and stands only if its answers are good enough. Without samples int8 is\n"
    "not tried; --random allows it, for a dry run: its answers say nothing about real data.\n"
    "Beside OUT a receipt is written: OUT.receipt.json, with the command that runs it.\n"
    "\n"
    "Examples:\n"
    "  strata optimize resnet50.onnx -o fast.onnx\n"
    "  strata optimize resnet50.onnx -o fast.onnx --data photos --min-sqnr 25 --budget 5min\n"
    "  strata optimize resnet50.onnx -o fast.onnx --precision fp32 --threads 1";

// Shares of the budget.
constexpr double kScreening = 0.4, kFinal = 0.4, kCheck = 0.2;

int cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

// What the user did not choose.
void fill_choices(BenchChoices& choices) {
  if (choices.engines.empty()) {
    for (const std::string& name : engine_names(choices.engine_path)) {
      if (name == "fake") continue;  // measures nothing
      choices.engines.push_back(name);
      if (name == "onnxruntime") choices.engines.push_back(name + ":opt=extended");
    }
    if (choices.engines.empty()) choices.engines.emplace_back("onnxruntime");
  }
  if (choices.precisions.empty()) choices.precisions = {"fp32", "int8"};
  if (choices.threads.empty())
    for (int threads = 1; threads <= cores(); threads *= 2)
      choices.threads.push_back(fmt::format("{}", threads));
}

// int8 from samples that were made up looks fast and answers nothing: it is not tried, unless the
// user asks for just that or brings a file. Says why, or nothing. Where int8 is tried, so are
// floats, which its answers are judged by.
Result<std::string> settle_int8(BenchChoices& choices, bool random) {
  auto words = split_list(choices.precisions, "--precision");
  if (!words) return tl::unexpected(words.error());
  choices.precisions = std::move(*words);
  const auto int8 = std::find(choices.precisions.begin(), choices.precisions.end(), "int8");
  if (int8 == choices.precisions.end()) return "";
  if (random || !choices.data.path.empty() || !choices.int8.empty()) {
    if (choices.precisions.size() == 1)
      choices.precisions.insert(choices.precisions.begin(), "fp32");
    return "";
  }
  choices.precisions.erase(int8);
  const std::string reason =
      "int8 was not tried: it needs samples to measure ranges and judge answers on; give them "
      "with --data, or --random for a dry run";
  if (choices.precisions.empty()) return failure(reason, ErrorKind::Usage);
  return reason;
}

// The quantized file against the one in floats, on the samples.
Result<Int8Answer> judge(const Options& options, const std::string& floats,
                         const std::string& other) {
  ModelOptions model;
  model.path = floats;
  auto loaded = load(model);
  if (!loaded) return tl::unexpected(loaded.error());
  DataOptions data = options.choices.data;
  data.data.random = data.path.empty();
  if (data.data.samples == 0) data.data.samples = 16;
  auto set = data.open(loaded->model);
  if (!set) return tl::unexpected(set.error());
  auto engine = load_engine("onnxruntime", options.choices.engine_path);
  if (!engine) return tl::unexpected(engine.error());
  SessionOptions session;
  session.threads = cores();
  auto scores = compare_models(*engine, {.path = floats}, {.path = other}, *set, session,
                               &StopOnInterrupt::flag());
  if (!scores) return tl::unexpected(scores.error());
  Int8Answer answer;
  answer.random = data.data.random;
  answer.samples = scores->size();
  answer.sqnr = value(Quality::Sqnr, *scores);
  answer.top1 = value(Quality::Top1, *scores);
  if (answer.sqnr && *answer.sqnr < options.min_sqnr)
    answer.mistake = fmt::format("SQNR {:.1f} dB over {} samples, wanted {:g}", *answer.sqnr,
                                 answer.samples, options.min_sqnr);
  if (!options.max_drop.empty()) {
    const auto most = parse_quantity(options.max_drop, Quantity::Share);
    if (!most) return failure("--max-drop: " + most.error().message, ErrorKind::Usage);
    if (!answer.top1)
      answer.mistake = "--max-drop needs outputs that are scores of classes";
    else if (1 - *answer.top1 / 100 > *most)
      answer.mistake = fmt::format("another class for {:.1f} % of {} samples, allowed {:g} %",
                                   100 - *answer.top1, answer.samples, 100 * *most);
  }
  return answer;
}

// Variants that may be as fast as the fastest.
PlannedGroup finalists(const PlannedGroup& planned, const BenchGroup& screened) {
  PlannedGroup out{planned.model, planned.shape, {}, 0};
  const BenchResult& result = screened.result;
  const double reach = result.speed_ups[*result.winner]->interval.low;
  for (std::size_t i = 0; i < planned.variants.size(); ++i) {
    const auto& speed_up = result.speed_ups[i];
    if (result.variants[i].failure != Failure::None || !speed_up) continue;
    if (i != result.base && i != *result.winner && speed_up->interval.high < reach) continue;
    if (i == result.base) out.base = out.variants.size();
    out.variants.push_back(planned.variants[i]);
  }
  return out;
}

std::string command_for(const Variant& variant, const std::string& file) {
  std::string engine = variant.engine;
  if (!variant.style.empty()) engine += ":" + variant.style;
  return fmt::format("strata bench {} --engine {} --threads {}", file, engine,
                     variant.session.threads);
}

class Search {
 public:
  explicit Search(Options options) : options_(std::move(options)) {}
  Result<int> run();

 private:
  Result<PlannedGroup> plan();
  Status judge_int8(PlannedGroup& group);
  BenchOptions method(double share, double until, int processes) const;
  Status write_model(const Variant& winner);
  Result<std::optional<SpeedUp>> check(const PlannedVariant& best);
  Status print(const std::string& more = "") const;
  Result<int> interrupted();
  Result<int> finish(const PlannedGroup& planned, const BenchGroup& last);

  Options options_;
  double budget_ = 120;
  std::optional<ScratchFolder> scratch_;
  std::optional<ModelFiles> files_;
  std::optional<Int8Answer> answer_;  // of int8
  std::string note_;                  // why there is no int8
  BenchRun tried_;
};

Result<PlannedGroup> Search::plan() {
  auto plan = make_plan(options_.choices);
  if (!plan) return tl::unexpected(plan.error());
  auto folder = ScratchFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  scratch_.emplace(std::move(*folder));
  files_.emplace(options_.settings, *scratch_);
  EngineFacts engines(options_.choices.engine_path, options_.choices.device,
                      options_.choices.provider);
  auto groups = plan_model(plan->models.front(), *plan, options_.choices, options_.settings,
                           *files_, engines);
  if (!groups) return tl::unexpected(groups.error());
  return std::move(groups->front());
}

Status Search::judge_int8(PlannedGroup& group) {
  std::string floats;
  for (const PlannedVariant& planned : group.variants)
    if (planned.refusal.empty() && planned.variant.precision() != "int8")
      floats = planned.variant.file;
  for (PlannedVariant& planned : group.variants) {
    if (!planned.refusal.empty() || planned.variant.precision() != "int8" || floats.empty())
      continue;
    if (!answer_) {
      auto answer = judge(options_, floats, planned.variant.file);
      if (!answer && answer.error().kind == ErrorKind::Usage) return tl::unexpected(answer.error());
      answer_ = answer ? *answer : Int8Answer{.mistake = answer.error().message};
    }
    planned.refusal = answer_->mistake;
  }
  return {};
}

BenchOptions Search::method(double share, double until, int processes) const {
  BenchOptions method;
  method.max_seconds = share * budget_;
  method.until = until;
  method.processes = processes;
  method.seed = options_.settings.seed;
  method.limits.stop = &StopOnInterrupt::flag();
  method.answers.min_sqnr = options_.min_sqnr;
  return method;
}

Status Search::write_model(const Variant& winner) {
  auto model = read_model(winner.file);
  if (!model) return tl::unexpected(model.error());
  return write_onnx(*model, options_.output);
}

// What was written, against the best of what was measured; nullopt: interrupted.
Result<std::optional<SpeedUp>> Search::check(const PlannedVariant& best) {
  PlannedGroup group{options_.model, "", {best, best}, 0};
  Variant& own = group.variants.back().variant;
  own.file = options_.output;
  own.style += own.style.empty() ? "written" : ",written";
  auto checked = run_group(group, method(kCheck, 0.01, 3));
  if (!checked) return tl::unexpected(checked.error());
  if (StopOnInterrupt::stopped()) return std::nullopt;
  const VariantResult& written = checked->result.variants[1];
  const auto& ratio = checked->result.speed_ups[1];
  if (written.failure != Failure::None || !ratio)
    return failure(
        fmt::format("{}: does not run as it was measured: {}", options_.output, written.reason));
  return *ratio;
}

Status Search::print(const std::string& more) const {
  TableStyle style;
  style.width = terminal_width();
  style.color = wants_color();
  const std::string note = note_.empty() ? "" : fmt::format("Note: {}\n", note_);
  return write_output("", bench_to_table(tried_, style) + more + note);
}

// Before anything was written.
Result<int> Search::interrupted() {
  tried_.complete = false;
  const bool any = !tried_.groups.empty() && tried_.groups.front().result.winner;
  if (any)
    if (auto status = print(); !status) return tl::unexpected(status.error());
  fmt::print(stderr, "strata: interrupted: {} was not written\n", options_.output);
  return kInterrupted;
}

Result<int> Search::finish(const PlannedGroup& planned, const BenchGroup& last) {
  const PlannedVariant& best = planned.variants[*last.result.winner];
  if (auto status = write_model(best.variant); !status) return tl::unexpected(status.error());
  auto checked = check(best);
  if (!checked) return tl::unexpected(checked.error());

  OptimizeOutcome outcome{
      options_.model, options_.output, command_for(best.variant, options_.output),
      budget_,        last.result,     *checked};
  if (best.variant.precision() == "int8") outcome.answer = answer_;
  if (!note_.empty()) outcome.notes.push_back(note_);
  auto file = OutputFile::create(options_.output + ".receipt.json");
  if (!file) return tl::unexpected(file.error());
  if (auto status = file->write(optimize_receipt(outcome, tried_)); !status)
    return tl::unexpected(status.error());
  if (auto status = file->commit(); !status) return tl::unexpected(status.error());
  if (auto status = print("\n" + optimize_text(outcome)); !status)
    return tl::unexpected(status.error());
  if (!outcome.check) return kInterrupted;
  return outcome.is_slower() ? kBudget : kFine;
}

Result<int> Search::run() {
  const auto seconds = parse_quantity(options_.budget, Quantity::Seconds);
  if (!seconds || *seconds <= 0)
    return failure("--budget: " + (seconds ? "must be above 0" : seconds.error().message),
                   ErrorKind::Usage);
  budget_ = *seconds;
  options_.choices.models = {options_.model};
  fill_choices(options_.choices);
  auto note = settle_int8(options_.choices, options_.random);
  if (!note) return tl::unexpected(note.error());
  note_ = std::move(*note);
  const StopOnInterrupt interrupt;
  auto planned = plan();
  if (StopOnInterrupt::stopped()) return interrupted();
  if (!planned) return tl::unexpected(planned.error());
  if (auto status = judge_int8(*planned); !status) return tl::unexpected(status.error());
  if (StopOnInterrupt::stopped()) return interrupted();
  tried_.program = version_text();
  tried_.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  tried_.machine = named_facts(read_machine());
  tried_.method = method(kScreening, 0.05, 1);
  tried_.method.limits.stop = nullptr;
  auto screened = run_group(*planned, method(kScreening, 0.05, 1));
  if (!screened) return tl::unexpected(screened.error());
  tried_.groups.push_back(*screened);
  if (StopOnInterrupt::stopped()) return interrupted();
  if (!screened->result.winner) {
    if (auto status = print(); !status) return tl::unexpected(status.error());
    return failure(
        fmt::format("{}: nothing ran; {} was not written", options_.model, options_.output));
  }
  const PlannedGroup last = finalists(*planned, *screened);
  auto final_group = run_group(last, method(kFinal, 0.01, 3));
  if (!final_group) return tl::unexpected(final_group.error());
  tried_.groups.push_back(*final_group);
  tried_.groups.back().model += " (final)";
  if (StopOnInterrupt::stopped()) return interrupted();
  if (!final_group->result.winner)
    return failure(fmt::format("{}: what ran at first did not run again", options_.model));
  return finish(last, *final_group);
}

}  // namespace

Command add_optimize(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* app = program.add_subcommand("optimize", "the fastest way to run it, as a file");
  BenchChoices& choices = options->choices;
  const auto list = [&](const char* option, std::vector<std::string>& out, const char* help,
                        const char* text) {
    app->add_option(option, out, help)->allow_extra_args(false)->option_text(text);
  };
  app->add_option("model", options->model, "a file, or zoo:NAME")->required()->option_text("MODEL");
  app->add_option("-o,--output", options->output, "the model to write")
      ->required()
      ->option_text("OUT");
  app->add_option("--budget", options->budget, "time to search for (2min)")->option_text("TIME");
  app->add_option("--min-sqnr", options->min_sqnr, "dB that answers in int8 must have (20)")
      ->check(CLI::Range(-1000.0, 1000.0))
      ->option_text("DB");
  app->add_option("--max-drop", options->max_drop, "samples that may get another class: 1%")
      ->option_text("SHARE");
  app->add_option("--data", choices.data.path, "samples to calibrate and judge int8 on")
      ->option_text("DIR");
  app->add_flag("--random", options->random, "int8 from random samples: a dry run");
  app->add_option("--samples", choices.data.data.samples, "of them (16)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  list("--engine", choices.engines, "engines with their options (all there are)",
       "ENGINE[:KEY=VALUE,…],…");
  list("--precision", choices.precisions, "to try (fp32, and int8 with samples)", "LIST");
  list("--threads", choices.threads, "to try (1 to all cores, doubling)", "LIST");
  list("--int8", choices.int8, "the quantized form of the model", "MODEL=FILE");
  list("--batch", choices.batches, "samples in an inference (the file's own)", "N");
  list("--input", options->settings.input_shapes, "shape of an input (repeatable)",
       "NAME=1x3x224x224");
  list("--dim", options->settings.sizes, "size of a symbol in the shapes (repeatable)",
       "NAME=SIZE");
  app->add_option("--seed", options->settings.seed, "of what is made up (0)")->option_text("N");
  app->add_option("--engine-path", choices.engine_path, "folders to look for engines in")
      ->option_text("DIR:DIR");
  app->footer(kFooter);
  return {app, [options] { return Search(*options).run(); }};
}

}  // namespace strata::cli
