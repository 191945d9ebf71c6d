#include <fmt/format.h>

#include "cli/job_display.h"
#include "cli/sample_options.h"
#include "cli/table_options.h"
#include "options/options.h"
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
    return failure(Code::OptionValue, {.name = "--merge"},
                   "--merge takes files of calibrations and no model");
  if (options.merge.size() < 2)
    return failure(Code::OptionValue, {.name = "--merge"}, "--merge needs two files or more");
  auto all = merge_calibrations(options.merge, options.request.ranges, options.request.output);
  if (!all) return failure(all);
  return CalibrateOutcome{std::move(*all)};
}

Result<CalibrateOutcome> measured(Options& options) {
  if (options.on.model.path.empty()) return failure(Code::NoModel);
  if (Status status = options.on.read_into(options.request); !status) return failure(status);
  JobDisplay display;
  auto outcome = run_calibrate(options.request, display.observer());
  if (!outcome && outcome.error().code == Code::NotFinite)
    return failure(outcome.error().message + ", or count them with --allow-nonfinite");
  return outcome;
}

Result<int> print_calibration(Options& options) {
  RangeOptions& ranges = options.request.ranges;
  if (const auto choice = options.ranges.choice()) {
    ranges.choice = choice->choice;
    ranges.percentile = choice->percentile;
  }
  if (Status status = options.table.check("calibration"); !status) return failure(status);
  auto result = options.merge.empty() ? measured(options) : merged(options);
  if (!result) return failure(result);
  if (result->interrupted && result->calibration.samples == 0)
    return interrupted("interrupted before the first sample was seen");
  auto document = calibration_document(result->calibration, ranges);
  if (!document) return failure(document);
  if (result->interrupted && !result->unwritten && !options.request.output.empty())
    document->notes.emplace_back(
        fmt::format("the same command goes on where {} ends", options.request.output), true);
  document->sections.push_back(notes_section(document->notes));
  if (Status status = result->interrupted ? options.table.write_partial(std::move(*document))
                                          : options.table.write(std::move(*document));
      !status)
    return failure(status);
  if (result->unwritten) return tl::unexpected(*result->unwritten);
  return result->interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_calibrate(App& program) {
  auto options = std::make_shared<Options>();
  CalibrateRequest& request = options->request;
  App* app = program.add_subcommand("calibrate", "collect activation ranges from data");
  options->on.model.add_to(*app);
  app->get_option("model")->required(false);
  options->on.data.add_to(*app);
  app->remove_option("--labels");
  app->add({{"--output", &request.output}, {"--merge", &options->merge}});
  options->ranges.add_to(*app);
  app->add({{"--bits", &request.ranges.scheme.bits},
            {"--symmetric", &request.ranges.scheme.symmetric},
            {"--per-channel", &request.per_channel},
            {"--allow-nonfinite", &request.allow_nonfinite},
            {"--fresh", &request.fresh}});
  options->on.engine.add_to(*app);
  options->on.model.add_wait_to(*app);
  app->exclude({"--engine-option"}, "--merge", "nothing is run, files are added up");
  options->table.add_to(*app, Exact::Digits, "--table");
  return {app, [options] { return print_calibration(*options); }};
}

}  // namespace strata::cli
