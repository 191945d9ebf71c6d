#include <fmt/format.h>

#include "cli/complain.h"
#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "strata/report/calibration.h"
#include "strata/task/calibrate.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;
  CalibrateRequest run;
  std::vector<std::string> merge;
  std::string method = "minmax";
  TableOptions table;
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
  if (!options.model.path.empty())
    return failure("--merge takes files of calibrations and no model", ErrorKind::Usage);
  if (options.merge.size() < 2) return failure("--merge needs two files or more", ErrorKind::Usage);
  auto all = merge_calibrations(options.merge);
  if (!all) return all;
  all->choice = options.run.ranges;
  if (!options.run.output.empty())
    if (Status status = write_calibration(*all, options.run.output); !status)
      return failure(status);
  return all;
}

Result<CalibrateOutcome> calibration(Options& options) {
  if (!options.merge.empty()) {
    auto all = merged(options);
    if (!all) return failure(all);
    return CalibrateOutcome{std::move(*all)};
  }
  if (options.model.path.empty())
    return failure("there is no model: name a file, or zoo:NAME", ErrorKind::Usage);
  auto model = options.model.request();
  if (!model) return failure(model);
  auto data = options.data.request();
  if (!data) return failure(data);
  auto engine = options.engine.request();
  if (!engine) return failure(engine);
  CalibrateRequest& request = options.run;
  request.model = std::move(*model);
  request.data = std::move(*data);
  request.engine = std::move(*engine);
  JobDisplay display;
  auto outcome = run_calibrate(request, display.observer());
  if (!outcome && outcome.error().code == Code::NotFinite)
    return failure(outcome.error().message + ", or count them with --allow-nonfinite");
  return outcome;
}

Result<int> print_calibration(Options& options) {
  RangeOptions& ranges = options.run.ranges;
  ranges.choice = range_choice_from_name(options.method).value_or(RangeChoice::MinMax);
  if (!(ranges.percentile > 50 && ranges.percentile <= 100))
    return failure(
        fmt::format("--percentile {}: it must be above 50 and at most 100", ranges.percentile),
        ErrorKind::Usage);
  if (Status status = options.table.check("calibration"); !status) return failure(status);
  auto result = calibration(options);
  if (!result) return failure(result);
  if (result->interrupted && result->calibration.samples == 0) {
    complain("interrupted before the first sample was seen");
    return kInterrupted;
  }
  auto document = calibration_document(result->calibration, ranges);
  if (!document) return failure(document);
  if (result->interrupted && !result->unwritten && !options.run.output.empty())
    document->notes.push_back(
        fmt::format("the same command goes on where {} ends", options.run.output));
  if (Status status = options.table.write(std::move(*document)); !status) return failure(status);
  if (result->unwritten) return tl::unexpected(*result->unwritten);
  return result->interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_calibrate(App& program) {
  auto options = std::make_shared<Options>();
  CalibrateRequest& run = options->run;
  App* app = program.add_subcommand("calibrate", "activation ranges from data, in bounded memory");
  app->footer(kFooter);
  options->model.add_to(*app);
  app->get_option("model")->required(false);
  options->data.add_to(*app);
  app->remove_option("--labels");
  const Option* output = app->add_option("-o,--output FILE", run.output, "file for the sketches");
  const Option* merge =
      app->add_option("--merge FILE...", options->merge, "add up files of several runs")
          ->allow_extra_args(true);
  app->add_option("--method NAME", options->method,
                  "how ranges are chosen: minmax (the default), percentile, entropy, mse")
      ->one_of({"minmax", "percentile", "entropy", "mse"});
  app->add_option("--percentile P", run.ranges.percentile,
                  "percentage of elements that are kept (default 99.99)")
      ->needs([options] { return options->method == "percentile"; },
              "another method chooses the ranges; add --method percentile");
  app->add_option("--bits N", run.ranges.scheme.bits, "bits of the quantized elements (default 8)")
      ->within(2, 16);
  app->add_flag("--symmetric", run.ranges.scheme.symmetric, "as much below zero as above");
  app->add_flag("--per-channel", run.per_channel, "also minimum and maximum of every channel");
  app->add_flag("--allow-nonfinite", run.allow_nonfinite,
                "count NaN and infinity instead of stopping at them");
  app->add_flag("--fresh", run.fresh, "start anew instead of going on with a stopped run")
      ->needs({output}, "there is no earlier run to go on with");
  options->engine.add_to(*app);
  for (const char* name :
       {"--input", "--dim", "--batch", "--allow-outside-data", "--data", "--random",
        "--per-channel", "--allow-nonfinite", "--fresh", "--engine", "--engine-path", "--device",
        "--provider", "--threads", "--engine-option"})
    app->get_option(name)->excludes(merge, "nothing is run, files are added up");
  options->table.add_to(*app, {"table", "csv", "json", "md", "html"}, "--table");
  options->table.add_choice(*app);
  options->table.add_exact(*app);
  return {app, [options] { return print_calibration(*options); }};
}

}  // namespace strata::cli
