#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "cli/interrupt.h"
#include "cli/quantize_report.h"

namespace strata::cli {

namespace {

struct Options {
  QuantizeRequest request;
  std::string method, max_drop, time;
  double min_sqnr = 0;
  std::string format = "table";
  CLI::Option *min_sqnr_option = nullptr, *width_option = nullptr;
  std::size_t width = 0;
  double percentile = 99.99;
  bool no_time = false;
};

constexpr const char* kFooter =
    "Activations become uint8 by tensor, weights int8 by channel, norms are folded: Q/DQ pairs\n"
    "that ONNX Runtime runs on its int8 kernels. --keep-float LAYER keeps a layer in floats, but\n"
    "rounds what it reads and gives; LAYER:output and LAYER:input keep these activations in\n"
    "floats, and whatever needs them in int8. auto chooses layers and activations by their drop\n"
    "over the time that int8 saves, as few as the target needs, and then those that are slower in\n"
    "int8, if that makes the model faster. Answers are judged on samples that no range comes\n"
    "from; with --ranges alone, on those behind the file's own. The file is looked at before it\n"
    "is written: a layer that was to stay in floats and does not is an error.\n"
    "OUT.exclude.txt lists the nodes that stay in floats, as other quantizers take it.\n"
    "\n"
    "Examples:\n"
    "  strata quantize resnet50.onnx --ranges ranges.json --keep-float auto -o r50.int8.onnx\n"
    "  strata quantize mobilenet_v2.onnx --data photos --keep-float auto --min-sqnr 25 -o m.onnx\n"
    "  strata quantize m.onnx --data photos --keep-float features.0,classifier -o m.int8.onnx\n"
    "  strata quantize m.onnx --data photos --keep-float features.3:output -o m.int8.onnx\n"
    "  strata quantize zoo:resnet50 --random -o resnet50.int8.onnx";

Result<int> run(Options& options) {
  QuantizeRequest& request = options.request;
  if (!options.method.empty()) {
    RangeOptions choice;
    choice.choice = *range_choice_from_name(options.method);
    choice.percentile = options.percentile;
    request.choice = choice;
  }
  if (options.min_sqnr_option->count() > 0) request.target.min_sqnr = options.min_sqnr;
  if (!options.max_drop.empty()) {
    const auto share = parse_quantity(options.max_drop, Quantity::Share);
    if (!share) return failure("--max-drop: " + share.error().message, ErrorKind::Usage);
    request.target.max_drop = *share;
  }
  if (!options.time.empty()) {
    const auto seconds = parse_quantity(options.time, Quantity::Seconds);
    if (!seconds) return failure("--max-time: " + seconds.error().message, ErrorKind::Usage);
    request.seconds = *seconds;
  }
  request.time = !options.no_time;
  auto report = run_quantize(request);
  if (!report && StopOnInterrupt::stopped()) {
    fmt::print(stderr, "strata: {}\n", report.error().message);
    return kInterrupted;
  }
  if (!report) return tl::unexpected(report.error());
  if (options.format != "table")
    for (const std::string& warning : quantize_warnings(*report))
      fmt::print(stderr, "strata: warning: {}\n", warning);
  TableStyle style;
  style.width = options.width_option->count() > 0 ? options.width : terminal_width();
  style.color = wants_color();
  const std::string text = options.format == "json"  ? quantize_json(*report)
                           : options.format == "csv" ? quantize_csv(*report)
                                                     : quantize_text(*report, style);
  if (auto status = write_output("", text); !status) return tl::unexpected(status.error());
  return report->outcome.interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_quantize(CLI::App& program) {
  auto options = std::make_shared<Options>();
  QuantizeRequest& request = options->request;
  CLI::App* app = program.add_subcommand(
      "quantize", "an int8 model that keeps the layers that break in floats");
  app->footer(kFooter);
  request.model.add_to(*app);
  request.data.add_to(*app);
  app->remove_option(app->get_option_no_throw("--labels"));
  app->add_option("-o,--output", request.output, "the model to write")
      ->required()
      ->option_text("OUT");
  app->add_option("--ranges", request.ranges,
                  "what `strata calibrate` wrote (measured if not given)")
      ->option_text("FILE");
  app->add_option("--method", options->method,
                  "that chooses ranges: minmax, percentile, entropy, mse (the file's)")
      ->check(CLI::IsMember({"minmax", "percentile", "entropy", "mse"}))
      ->option_text("NAME");
  app->add_option("--percentile", options->percentile, "for that method (99.99)")
      ->check(CLI::Range(50.0, 100.0))
      ->option_text("P");
  app->add_option(
         "--keep-float", request.keep_float,
         "layers, blocks or patterns with commas, with :output or :input their activations; "
         "auto; none (the default)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->option_text("LIST");
  options->min_sqnr_option = app->add_option("--min-sqnr", options->min_sqnr,
                                             "dB that answers must have (20 for auto, else none)")
                                 ->check(CLI::Range(-1000.0, 1000.0))
                                 ->option_text("DB");
  app->add_option("--max-drop", options->max_drop, "samples that may get another class: 1%")
      ->option_text("SHARE");
  app->add_option("--held-out", request.held_out,
                  "samples to judge answers on; auto chooses with half of them (16)")
      ->check(CLI::Range(1, 1'000'000))
      ->option_text("N");
  request.engine.add_to(*app);
  app->add_option("--max-time", options->time, "to measure the speed-up for (10s to 90s)")
      ->option_text("TIME");
  app->add_flag("--no-time", options->no_time, "measure no times");
  app->add_option("--format", options->format, "table (the default), csv, json")
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->option_text("FORMAT");
  options->width_option =
      app->add_option("--width", options->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
