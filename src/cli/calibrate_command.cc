#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/calibrate_run.h"
#include "strata/report/calibration.h"
#include "strata/report/report.h"

namespace strata::cli {

namespace {

struct Options {
  CalibrateRun run;
  std::vector<std::string> merge;
  std::string method = "minmax";
  std::string format = "table";
  std::size_t width = 0;
  bool exact = false;
  CLI::Option* width_option = nullptr;
};

constexpr const char* kFooter =
    "One pass over the samples; what it holds does not grow with them. Every tensor that an\n"
    "int8 model needs a range of goes into a sketch, from which any range can be chosen\n"
    "later: FILE has the sketches. Ctrl-C keeps what there is, and the same command goes on.\n"
    "\n"
    "Examples:\n"
    "  strata calibrate resnet50.onnx --data photos --samples 100 -o ranges.json\n"
    "  strata calibrate resnet50.onnx --data photos --offset 100 --samples 100 -o more.json\n"
    "  strata calibrate --merge ranges.json more.json -o all.json --method entropy\n"
    "  strata calibrate zoo:efficientvit_sam_l0 --random --samples 2";

Result<Calibration> merged(const Options& options) {
  if (!options.run.model.path.empty())
    return failure("--merge takes files of calibrations and no model", ErrorKind::Usage);
  if (options.merge.size() < 2) return failure("--merge needs two files or more", ErrorKind::Usage);
  std::optional<Calibration> all;
  for (const std::string& path : options.merge) {
    auto one = read_calibration(path);
    if (!one) return tl::unexpected(one.error());
    if (!all)
      all = std::move(*one);
    else if (Status status = merge(*all, *one); !status)
      return failure(fmt::format("{}: {}", path, status.error().message));
  }
  all->choice = options.run.ranges;
  if (!options.run.output.empty())
    if (Status status = write_calibration(*all, options.run.output); !status)
      return tl::unexpected(status.error());
  return std::move(*all);
}

Result<CalibrateResult> calibration(const Options& options) {
  if (!options.merge.empty()) {
    auto all = merged(options);
    if (!all) return tl::unexpected(all.error());
    return CalibrateResult{std::move(*all)};
  }
  if (options.run.model.path.empty())
    return failure("there is no model: name a file, or zoo:NAME", ErrorKind::Usage);
  return run_calibration(options.run);
}

Result<int> run_calibrate(Options& options) {
  RangeOptions& ranges = options.run.ranges;
  ranges.choice = range_choice_from_name(options.method).value_or(RangeChoice::MinMax);
  if (!(ranges.percentile > 50 && ranges.percentile <= 100))
    return failure(
        fmt::format("--percentile {}: it must be above 50 and at most 100", ranges.percentile),
        ErrorKind::Usage);
  auto result = calibration(options);
  if (!result) return tl::unexpected(result.error());
  if (result->interrupted && result->calibration.samples == 0) {
    fmt::print(stderr, "strata: interrupted before the first sample was seen\n");
    return kInterrupted;
  }
  const bool machine = options.format == "csv" || options.format == "json";
  auto table = calibration_table(result->calibration, ranges, machine);
  if (!table) return tl::unexpected(table.error());
  if (result->interrupted && !result->unwritten && !options.run.output.empty())
    table->notes.push_back(
        fmt::format("the same command goes on where {} ends", options.run.output));

  TableStyle style;
  style.width = options.width_option->count() > 0 ? options.width : terminal_width();
  style.exact = options.exact;
  style.color = wants_color();
  const std::string text = options.format == "csv"    ? to_csv(*table)
                           : options.format == "json" ? profile_to_json(*table)
                           : options.format == "md"   ? to_markdown(*table, style)
                                                      : to_table(*table, style);
  if (Status status = write_output("", text); !status) return tl::unexpected(status.error());
  if (result->unwritten) return tl::unexpected(*result->unwritten);
  return result->interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_calibrate(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CalibrateRun& run = options->run;
  CLI::App* app =
      program.add_subcommand("calibrate", "activation ranges from data, in bounded memory");
  app->footer(kFooter);
  run.model.add_to(*app);
  app->get_option("model")->required(false);
  run.data.add_to(*app);
  app->remove_option(app->get_option_no_throw("--labels"));
  app->add_option("-o,--output", run.output, "where the sketches go")->option_text("FILE");
  app->add_option("--merge", options->merge, "add up files of several runs")
      ->option_text("FILE...");
  app->add_option("--method", options->method,
                  "that chooses ranges: minmax (the default), percentile, entropy, mse")
      ->check(CLI::IsMember({"minmax", "percentile", "entropy", "mse"}))
      ->option_text("NAME");
  app->add_option("--percentile", run.ranges.percentile, "of elements that are kept (99.99)")
      ->option_text("P");
  app->add_option("--bits", run.ranges.scheme.bits, "of the quantized elements (8)")
      ->check(CLI::Range(2, 16))
      ->option_text("N");
  app->add_flag("--symmetric", run.ranges.scheme.symmetric, "as much below zero as above");
  app->add_flag("--per-channel", run.per_channel, "also minimum and maximum of every channel");
  app->add_flag("--allow-nonfinite", run.allow_nonfinite,
                "count NaN and infinity instead of stopping at them");
  app->add_flag("--fresh", run.fresh, "start anew instead of going on with a stopped run");
  run.engine.add_to(*app);
  app->add_option("--format", options->format, "table (the default), csv, json, md")
      ->check(CLI::IsMember({"table", "csv", "json", "md"}))
      ->option_text("FORMAT");
  app->add_flag("--exact", options->exact, "every digit instead of human units");
  options->width_option =
      app->add_option("--width", options->width, "columns to fit the table into; 0: no limit")
          ->option_text("N");
  return {app, [options] { return run_calibrate(*options); }};
}

}  // namespace strata::cli
