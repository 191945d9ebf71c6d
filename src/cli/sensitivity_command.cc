#include <algorithm>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "cli/sensitivity_run.h"
#include "strata/report/report.h"
#include "write/output_file.h"

namespace strata::cli {

namespace {

struct Options {
  SensitivityRequest request;
  std::string method = "minmax";
  std::string metric, memory = "2GB", budget, plot, output;
  std::string format = "table";
  double percentile = 99.99;
  int bits = 8;
  bool weights_only = false, activations_only = false;
  std::size_t top = 10, width = 0;
  CLI::App* app = nullptr;
  CLI::Option *width_option = nullptr, *method_option = nullptr, *percentile_option = nullptr;
};

constexpr const char* kFooter =
    "Each layer in turn is quantized, the rest stays in floats, and the outputs are compared\n"
    "with those of the network in floats. Only what follows the layer is computed again, from\n"
    "activations that are kept within --memory. -o FILE.json has every sample's scores: after\n"
    "Ctrl-C the same command goes on with them.\n"
    "\n"
    "Examples:\n"
    "  strata sensitivity mobilenet_v2.onnx --data photos --plot dips.svg\n"
    "  strata sensitivity net.onnx --data photos --labels labels.csv --metric accuracy\n"
    "  strata sensitivity net.onnx --data photos --ranges ranges.json --leave-one-out\n"
    "  strata sensitivity net.onnx --data photos --budget 10% -o net.json\n"
    "  strata sensitivity net.onnx --data photos --metric-cmd 'python3 map.py \"$1\" \"$2\"'";

Status read_budget(Options& options) {
  if (options.budget.empty()) return {};
  SensitivityRequest& request = options.request;
  if (request.naive)
    return failure("--budget leaves samples out, and --naive takes all of them: give one",
                   ErrorKind::Usage);
  if (options.budget.ends_with('%')) {
    auto share = parse_quantity(options.budget, Quantity::Share);
    if (!share) return failure("--budget " + share.error().message, ErrorKind::Usage);
    if (!(*share > 0 && *share <= 1))
      return failure(
          fmt::format("--budget {}: it must be above 0 % and at most 100 %", options.budget),
          ErrorKind::Usage);
    request.budget = *share;
    return {};
  }
  auto seconds = parse_quantity(options.budget, Quantity::Seconds);
  if (!seconds)
    return failure(fmt::format("--budget {}: write a share of the passes, as 10%, or a time, as "
                               "5min or 90s",
                               options.budget),
                   ErrorKind::Usage);
  if (!(*seconds > 0)) return failure("--budget: a time must be above zero", ErrorKind::Usage);
  request.budget_seconds = *seconds;
  return {};
}

Status read_metric(Options& options) {
  SensitivityRequest& request = options.request;
  if (!request.command.empty()) {
    if (!options.metric.empty())
      return failure("--metric and --metric-cmd exclude each other", ErrorKind::Usage);
    request.quality = Quality::Command;
  } else if (!options.metric.empty()) {
    request.quality = quality_from_name(options.metric).value_or(Quality::Sqnr);
  } else if (!request.data.labels.empty()) {
    request.quality = Quality::Accuracy;
  }
  return {};
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
  auto memory = parse_quantity(options.memory, Quantity::Bytes);
  if (!memory) return failure("--memory " + memory.error().message, ErrorKind::Usage);
  request.memory_bytes = static_cast<std::int64_t>(std::min(*memory, 9e18));
  if (Status status = read_metric(options); !status) return status;
  if (Status status = read_budget(options); !status) return status;
  request.top = std::max(1, static_cast<int>(std::min<std::size_t>(options.top, 1000)));
  if (options.output.ends_with(".json")) request.journal = options.output;
  if (!options.plot.empty()) {
    if (!options.plot.ends_with(".svg") && !options.plot.ends_with(".png"))
      return failure(fmt::format("--plot {}: name it .svg or .png", options.plot),
                     ErrorKind::Usage);
    // Before the work, not after it.
    if (auto file = OutputFile::create(options.plot); !file) return tl::unexpected(file.error());
  }
  if (!options.output.empty())
    if (auto file = OutputFile::create(options.output); !file) return tl::unexpected(file.error());
  return {};
}

Status write_file(const std::string& path, const std::string& bytes) {
  auto file = OutputFile::create(path);
  if (!file) return tl::unexpected(file.error());
  if (Status status = file->write(bytes); !status) return status;
  return file->commit();
}

Result<int> print_sensitivity(Options& options) {
  if (Status status = read_options(options); !status) return tl::unexpected(status.error());
  SensitivityRun start;
  start.program = version_text();
  start.options = given_options(*options.app);
  auto outcome = run_sensitivity(options.request, std::move(start));
  if (!outcome) return tl::unexpected(outcome.error());
  const SensitivityRun& run = outcome->run;
  const bool any = std::any_of(run.result.layers.begin(), run.result.layers.end(),
                               [](const LayerScore& score) { return !score.alone.empty(); });
  if (outcome->interrupted && !any) {
    fmt::print(stderr, "strata: stopped before a layer was measured\n");
    return kInterrupted;
  }

  TableStyle style;
  style.width = options.width_option->count() > 0 ? options.width : terminal_width();
  style.color = wants_color();
  std::string text = options.format == "csv"    ? sensitivity_to_csv(run)
                     : options.format == "json" ? sensitivity_to_json(run)
                     : options.format == "md"   ? sensitivity_to_markdown(run, options.top)
                                                : sensitivity_to_table(run, options.top, style);
  const bool journal = !options.request.journal.empty();
  const std::string target = journal ? "" : options.output;
  if (Status status = target.empty() ? write_output("", text) : write_file(target, text); !status)
    return tl::unexpected(status.error());
  if (!options.plot.empty())
    if (Status status =
            write_file(options.plot, options.plot.ends_with(".png") ? sensitivity_to_png(run)
                                                                    : sensitivity_to_svg(run));
        !status)
      return tl::unexpected(status.error());
  if (outcome->unwritten) return tl::unexpected(*outcome->unwritten);
  if (outcome->interrupted && journal)
    fmt::print(stderr, "the same command goes on where {} ends\n", options.request.journal);
  return outcome->interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_sensitivity(CLI::App& program) {
  auto options = std::make_shared<Options>();
  SensitivityRequest& request = options->request;
  CLI::App* app = program.add_subcommand("sensitivity", "what quantizing each layer does");
  options->app = app;
  app->footer(kFooter);
  request.model.add_to(*app);
  request.data.data.samples = 64;
  request.data.add_to(*app);
  app->get_option("--samples")->description("how many (64)");
  app->add_option("--ranges", request.ranges,
                  "of activations, by `strata calibrate`; else from the same samples")
      ->option_text("FILE");
  options->method_option =
      app->add_option("--method", options->method,
                      "that chooses ranges: minmax (the default), percentile, entropy, mse")
          ->check(CLI::IsMember({"minmax", "percentile", "entropy", "mse"}))
          ->option_text("NAME");
  options->percentile_option =
      app->add_option("--percentile", options->percentile, "of elements that are kept (99.99)")
          ->option_text("P");
  app->add_option("--metric", options->metric,
                  "sqnr (the default), cosine, kl, top1, accuracy (with --labels)")
      ->check(CLI::IsMember({"sqnr", "cosine", "kl", "top1", "accuracy"}))
      ->option_text("NAME");
  app->add_option("--metric-cmd", request.command,
                  "gets two .npz files, of floats and of the quantized, and prints a number; "
                  "more is better")
      ->option_text("COMMAND");
  app->add_option("--bits", options->bits, "of weights and activations (8)")
      ->check(CLI::Range(2, 8))
      ->option_text("N");
  app->add_flag("--weights-only", options->weights_only, "activations stay in floats");
  app->add_flag("--activations-only", options->activations_only, "weights stay in floats");
  app->add_option("--memory", options->memory, "for activations that are kept (2GB)")
      ->option_text("SIZE");
  app->add_option("--budget", options->budget,
                  "a share of the naive loop's passes (10%) or a time (5min): contested layers "
                  "get more samples")
      ->option_text("SHARE|TIME");
  app->add_flag("--naive", request.naive, "every layer from the inputs on, for proof");
  app->add_flag("--leave-one-out", request.leave_one_out, "also all layers but one");
  app->add_flag(
      "--parts", request.parts,
      "also the weights of each layer and each activation apart, as an int8 file has them");
  app->add_option("--top", options->top, "layers in the table (10); 0: all of them")
      ->option_text("N");
  app->add_option("--format", options->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_option("-o,--output", options->output,
                  "FILE.json: all scores, to go on with; else where the report goes")
      ->option_text("FILE");
  app->add_flag("--fresh", request.fresh, "start anew instead of going on with FILE.json");
  app->add_option("--plot", options->plot, "layers and their metric: .svg or .png")
      ->option_text("FILE");
  request.engine.add_to(*app);
  options->width_option =
      app->add_option("--width", options->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  return {app, [options] { return print_sensitivity(*options); }};
}

}  // namespace strata::cli
