#include <algorithm>

#include <fmt/format.h>

#include "cli/complain.h"
#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "strata/task/sensitivity.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;
  SensitivityRequest request;
  std::string method = "minmax";
  std::string metric, plot;
  TableOptions table;
  double percentile = 99.99, cache = 2e9;
  std::optional<double> max_time;
  int bits = 8;
  bool weights_only = false, activations_only = false;
  std::size_t top = 10;
  App* app = nullptr;
  Option *method_option = nullptr, *percentile_option = nullptr;
};

constexpr std::string_view kScores = ".json";  // a file of all scores, to go on with

constexpr const char* kFooter =
    "Each layer in turn is quantized, the rest stays in floats, and the outputs are compared\n"
    "with those of the network in floats. Only what follows the layer is computed again, from\n"
    "activations that are kept within --cache. -o FILE.json has every sample's scores: after\n"
    "Ctrl-C the same command goes on with them.\n"
    "\n"
    "Examples:\n"
    "  strata sensitivity mobilenet_v2.onnx --data photos --plot dips.svg\n"
    "  strata sensitivity net.onnx --data photos --labels labels.csv --metric accuracy\n"
    "  strata sensitivity net.onnx --data photos --ranges ranges.json --leave-one-out\n"
    "  strata sensitivity net.onnx --data photos --passes 10% -o net.json\n"
    "  strata sensitivity net.onnx --data photos --metric-cmd 'python3 map.py \"$1\" \"$2\"'";

Status read_metric(Options& options) {
  SensitivityRequest& request = options.request;
  if (!request.command.empty()) {
    if (!options.metric.empty())
      return failure("--metric and --metric-cmd exclude each other", ErrorKind::Usage);
    request.quality = Quality::Command;
  } else if (!options.metric.empty()) {
    request.quality = quality_from_name(options.metric).value_or(Quality::Sqnr);
  } else if (!options.data.labels.empty()) {
    request.quality = Quality::Accuracy;
  }
  if (request.quality == Quality::Accuracy && options.data.labels.empty())
    return failure("accuracy needs labels: give them with --labels FILE", ErrorKind::Usage);
  return {};
}

// What is to be measured, on what.
Status read_subject(Options& options) {
  auto model = options.model.request();
  if (!model) return failure(model);
  auto data = options.data.request();
  if (!data) return failure(data);
  auto engine = options.engine.request();
  if (!engine) return failure(engine);
  SensitivityRequest& request = options.request;
  request.model = std::move(*model);
  request.data = std::move(*data);
  request.engine = std::move(*engine);
  request.caller = {version_text(), given_options(*options.app)};
  return {};
}

FileKind plot_kind(const Options& options) {
  return {options.plot.ends_with(".png") ? FileForm::Png : FileForm::Text};
}

Status read_options(Options& options) {
  SensitivityRequest& request = options.request;
  if (options.weights_only && options.activations_only)
    return failure("--weights-only and --activations-only exclude each other", ErrorKind::Usage);
  request.rounding.weights = !options.activations_only;
  request.rounding.activations = !options.weights_only;
  request.rounding.weight_bits = request.rounding.activation_bits = options.bits;
  if (!(options.percentile > 50 && options.percentile <= 100))
    return failure(
        fmt::format("--percentile {}: it must be above 50 and at most 100", options.percentile),
        ErrorKind::Usage);
  if (options.method_option->count() + options.percentile_option->count() > 0) {
    RangeOptions& choice = request.choice.emplace();
    choice.choice = range_choice_from_name(options.method).value_or(RangeChoice::MinMax);
    if (options.method_option->count() == 0) choice.choice = RangeChoice::Percentile;
    choice.percentile = options.percentile;
  }
  request.memory_bytes = static_cast<std::int64_t>(std::min(options.cache, 9e18));
  if (request.budget > 1) return failure("--passes: it must be at most 100%", ErrorKind::Usage);
  request.budget_seconds = options.max_time.value_or(0);
  if (Status status = read_metric(options); !status) return status;
  if (Status status = read_subject(options); !status) return status;
  request.top = std::max(1, static_cast<int>(std::min<std::size_t>(options.top, 1000)));
  if (options.table.output.ends_with(kScores)) request.journal = options.table.output;
  if (!options.plot.empty()) {
    if (!options.plot.ends_with(".svg") && !options.plot.ends_with(".png"))
      return failure(fmt::format("--plot {}: name it .svg or .png", options.plot),
                     ErrorKind::Usage);
    if (Status status = check_output(options.plot, plot_kind(options)); !status) return status;
  }
  return options.table.check("sensitivity");
}

Result<int> print_sensitivity(Options& options) {
  if (Status status = read_options(options); !status) return failure(status);
  std::optional<JobDisplay> display(std::in_place);
  auto outcome = run_sensitivity(options.request, display->observer());
  display.reset();
  if (!outcome) return failure(outcome);
  const SensitivityRun& run = outcome->run;
  const bool any = std::any_of(run.result.layers.begin(), run.result.layers.end(),
                               [](const LayerScore& score) { return !score.alone.empty(); });
  if (outcome->interrupted && !any) {
    complain("stopped before a layer was measured");
    return kInterrupted;
  }

  Document document = sensitivity_document(run);
  if (!options.table.has_all())
    for (Table& table : document.tables) keep_top(table, options.top);
  if (Status status = options.table.write(std::move(document)); !status) return failure(status);
  if (!options.plot.empty()) {
    const Result<std::string> plot =
        options.plot.ends_with(".png") ? sensitivity_to_png(run) : sensitivity_to_svg(run);
    if (!plot) return failure(plot);
    if (Status status = write_output(options.plot, *plot, plot_kind(options)); !status)
      return failure(status);
  }
  if (outcome->unwritten) return tl::unexpected(*outcome->unwritten);
  if (outcome->interrupted && !options.request.journal.empty())
    fmt::print(stderr, "the same command goes on where {} ends\n",
               printable(options.request.journal));
  return outcome->interrupted ? kInterrupted : kFine;
}

// What is compared, and how.
void add_measuring(App& app, Options& options) {
  SensitivityRequest& request = options.request;
  app.add_option("--ranges FILE", request.ranges,
                 "ranges of activations from `strata calibrate`; else from the same samples");
  options.method_option =
      app.add_option("--method NAME", options.method,
                     "how ranges are chosen: minmax (the default), percentile, entropy, mse")
          ->one_of({"minmax", "percentile", "entropy", "mse"});
  options.percentile_option =
      app.add_option("--percentile P", options.percentile,
                     "percentage of elements that are kept (default 99.99)")
          ->needs(
              [&options] {
                return !options.method_option->given() || options.method == "percentile";
              },
              "another method chooses the ranges; take --method percentile");
  app.add_option("--metric NAME", options.metric,
                 "sqnr (the default), cosine, kl, top1, accuracy (with --labels)")
      ->one_of({"sqnr", "cosine", "kl", "top1", "accuracy"});
  app.add_option("--metric-cmd COMMAND", request.command,
                 "command that gets two .npz files, of floats and of the quantized, and prints a "
                 "number; more is better");
  app.get_option("--labels")
      ->needs(
          [&options] {
            return options.request.command.empty() &&
                   (options.metric.empty() || options.metric == "accuracy");
          },
          "only accuracy looks at labels; take --metric accuracy");
  app.add_option("--bits N", options.bits, "bits of weights and activations (default 8)")
      ->within(2, 8);
  app.add_flag("--weights-only", options.weights_only, "leave activations in floats");
  app.add_flag("--activations-only", options.activations_only, "leave weights in floats");
  app.add_flag("--leave-one-out", request.leave_one_out, "also quantize all layers but one");
  app.add_flag(
      "--parts", request.parts,
      "also the weights of each layer and each activation apart, as an int8 file has them");
}

// What it may take.
void add_effort(App& app, Options& options) {
  SensitivityRequest& request = options.request;
  const Option* naive =
      app.add_flag("--naive", request.naive, "compute every layer from the inputs on, for proof");
  Option* cache = app.add_quantity("--cache SIZE", Quantity::Bytes, options.cache,
                                   "memory for activations that are kept (default 2GB)")
                      ->excludes(naive, "the naive loop keeps no activations");
  app.old_name("--memory", cache);
  Option* passes =
      app.add_quantity("--passes SHARE", Quantity::Share, request.budget,
                       "share of the naive loop's passes: contested layers get more samples (10%)");
  Option* max_time = app.add_quantity("--max-time TIME", Quantity::TimeLimit, options.max_time,
                                      "how long to measure: contested layers get more samples");
  for (Option* option : {passes, max_time})
    option->excludes(naive, "the naive loop takes all samples");
  app.old_name("--budget",
               [=](const std::string& value) { return value.ends_with('%') ? passes : max_time; });
}

}  // namespace

Command add_sensitivity(App& program) {
  auto options = std::make_shared<Options>();
  SensitivityRequest& request = options->request;
  App* app = program.add_subcommand("sensitivity", "what quantizing each layer does");
  options->app = app;
  app->footer(kFooter);
  options->model.add_to(*app);
  options->data.data.samples = 64;
  options->data.add_to(*app);
  app->get_option("--samples")->description("number of samples (default 64)");
  add_measuring(*app, *options);
  add_effort(*app, *options);
  app->add_option("--top N", options->top, "number of layers in the table (default 10); 0: all")
      ->needs([options] { return !options->table.has_all(); },
              "csv, json and html have every layer; take --format table or md");
  options->table.kept_apart = kScores;
  options->table.add_to(*app);
  options->table.add_choice(*app);
  options->table.add_exact_numbers(*app);
  const Option* output =
      app->get_option("--output")
          ->description("FILE.json: all scores, to go on with; else the file for the table");
  app->add_flag("--fresh", request.fresh, "start anew instead of going on with FILE.json")
      ->needs(
          [output, options] { return output->given() && options->table.output.ends_with(kScores); },
          "no scores are kept to go on with; add -o FILE.json");
  app->add_option("--plot FILE", options->plot, "draw layers and their metric: .svg or .png");
  options->engine.add_to(*app);
  return {app, [options] { return print_sensitivity(*options); }};
}

}  // namespace strata::cli
