#include <fmt/format.h>

#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/sample_options.h"
#include "cli/table_options.h"
#include "strata/report/calibration.h"
#include "strata/task/calibrate.h"

namespace strata::cli {

namespace {

struct Options {
  SampleOptions on;
  RangeChoiceOptions ranges;
  CalibrateRequest request;
  std::vector<std::string> merge;
  TableOptions table;
};

Result<CalibrateOutcome> merged(const Options& options) {
  if (!options.on.model.path.empty())
    return failure("--merge takes files of calibrations and no model", ErrorKind::Usage);
  if (options.merge.size() < 2) return failure("--merge needs two files or more", ErrorKind::Usage);
  auto all = merge_calibrations(options.merge, options.request.ranges, options.request.output);
  if (!all) return failure(all);
  return CalibrateOutcome{std::move(*all)};
}

Result<CalibrateOutcome> measured(Options& options) {
  if (options.on.model.path.empty())
    return failure("there is no model: name a file, or zoo:NAME", ErrorKind::Usage);
  if (Status status = options.on.read_into(options.request); !status) return failure(status);
  JobDisplay display;
  auto outcome = run_calibrate(options.request, display.observer());
  if (!outcome && outcome.error().code == Code::NotFinite)
    return failure(outcome.error().message + ", or count them with --allow-nonfinite");
  return outcome;
}

Result<int> print_calibration(Options& options) {
  const auto choice = options.ranges.choice();
  if (!choice) return failure(choice);
  RangeOptions& ranges = options.request.ranges;
  if (*choice) {
    ranges.choice = (*choice)->choice;
    ranges.percentile = (*choice)->percentile;
  }
  if (Status status = options.table.check("calibration"); !status) return failure(status);
  auto result = options.merge.empty() ? measured(options) : merged(options);
  if (!result) return failure(result);
  if (result->interrupted && result->calibration.samples == 0) {
    complain("interrupted before the first sample was seen");
    return kInterrupted;
  }
  auto document = calibration_document(result->calibration, ranges);
  if (!document) return failure(document);
  if (result->interrupted && !result->unwritten && !options.request.output.empty())
    document->notes.push_back(
        fmt::format("the same command goes on where {} ends", options.request.output));
  if (Status status = options.table.write(std::move(*document)); !status) return failure(status);
  if (result->unwritten) return tl::unexpected(*result->unwritten);
  return result->interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_calibrate(App& program) {
  auto options = std::make_shared<Options>();
  CalibrateRequest& request = options->request;
  App* app = program.add_subcommand("calibrate", "activation ranges from data, in bounded memory");
  options->on.model.add_to(*app);
  app->get_option("model")->required(false);
  options->on.data.add_to(*app);
  app->remove_option("--labels");
  const Option* output =
      app->add_option("-o,--output FILE", request.output, "file for the sketches")->file_only();
  const Option* merge =
      app->add_option("--merge FILE...", options->merge, "add up files of several runs")
          ->allow_extra_args(true);
  options->ranges.add_to(*app, "minmax (the default), percentile, entropy, mse");
  app->add_option("--bits N", request.ranges.scheme.bits,
                  "bits of the quantized elements (default 8)")
      ->within(2, 16);
  app->add_flag("--symmetric", request.ranges.scheme.symmetric, "as much below zero as above");
  app->add_flag("--per-channel", request.per_channel, "also minimum and maximum of every channel");
  app->add_flag("--allow-nonfinite", request.allow_nonfinite,
                "count NaN and infinity instead of stopping at them");
  app->add_flag("--fresh", request.fresh, "start anew instead of going on with a stopped run")
      ->needs({output}, "there is no earlier run to go on with");
  options->on.engine.add_to(*app);
  for (const char* name :
       {"--input", "--dim", "--batch", "--allow-outside-data", "--data", "--random",
        "--per-channel", "--allow-nonfinite", "--fresh", "--engine", "--engine-path", "--device",
        "--provider", "--threads", "--engine-option"})
    app->get_option(name)->excludes(merge, "nothing is run, files are added up");
  options->table.add_to(*app, "--table");
  options->table.add_choice(*app);
  options->table.add_exact(*app);
  return {app, [options] { return print_calibration(*options); }};
}

}  // namespace strata::cli
