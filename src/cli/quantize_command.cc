#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/job_display.h"
#include "cli/options.h"
#include "cli/sample_options.h"
#include "cli/table_options.h"
#include "strata/report/quantize.h"
#include "strata/task/quantize.h"

namespace strata::cli {

namespace {

struct Options {
  SampleOptions on;
  RangeChoiceOptions ranges;
  QuantizeRequest request;
  TableOptions table;
  bool no_time = false;
};

Status read_options(Options& options) {
  QuantizeRequest& request = options.request;
  auto choice = options.ranges.choice();
  if (!choice) return failure(choice);
  request.choice = *choice;
  request.time = !options.no_time;
  // A file of ranges may say where its samples come from.
  if (Status status = options.on.read_into(request, request.ranges.empty()); !status) return status;
  return options.table.check("quantization");
}

Result<int> run(Options& options) {
  if (Status status = read_options(options); !status) return failure(status);
  std::optional<JobDisplay> display(std::in_place);
  auto report = run_quantize(options.request, display->observer());
  display.reset();
  if (!report && StopOnInterrupt::stopped()) {
    complain(advised(report.error()));
    return kInterrupted;
  }
  if (!report) return failure(report);
  report->advice = {.keep_auto = "; --keep-float auto keeps in floats what that takes",
                    .keep_output = "; --keep-float LAYER:output keeps an output in floats, too",
                    .more_samples = " (--held-out)",
                    .more_time = ": give more --max-time"};
  if (options.table.format() != "table")
    for (const std::string& warning : quantize_warnings(*report)) complain("warning: " + warning);
  if (auto status = options.table.write(quantize_document(*report)); !status)
    return failure(status);
  return report->outcome.interrupted ? kInterrupted : kFine;
}

}  // namespace

Command add_quantize(App& program) {
  auto options = std::make_shared<Options>();
  QuantizeRequest& request = options->request;
  App* app = program.add_subcommand("quantize",
                                    "an int8 model that keeps the layers that break in floats");
  options->on.model.add_to(*app);
  options->on.data.add_to(*app);
  app->remove_option("--labels");
  app->add_option("-o,--output OUT", request.output, "the model to write")->required()->file_only();
  app->add_option("--ranges FILE", request.ranges,
                  "file of `strata calibrate`; ranges are measured if not given");
  options->ranges.add_to(*app, "minmax, percentile, entropy, mse (default: the file's)");
  app->add_option(
         "--keep-float LIST", request.keep_float,
         "layers, blocks or patterns with commas, with :output or :input their activations; "
         "auto; none (the default)")
      ->delimiter(',');
  app->add_option("--min-sqnr DB", request.target.min_sqnr,
                  "dB that answers must have (default 20 for auto, else none)")
      ->within(-1000.0, 1000.0);
  app->add_quantity("--max-drop SHARE", Quantity::Share, request.target.max_drop,
                    "share of samples that may get another class: 1%");
  app->add_option("--held-out N", request.held_out,
                  "number of samples to judge answers on; auto chooses with half of them "
                  "(default 16)")
      ->within(1, 1'000'000);
  options->on.engine.add_to(*app);
  const Option* no_time = app->add_flag("--no-time", options->no_time, "measure no times");
  app->add_quantity("--max-time TIME", Quantity::TimeLimit, request.seconds,
                    "how long to measure the speed-up (default 10s to 90s)")
      ->excludes(no_time, "no times are measured");
  options->table.add_to(*app, "--table");
  options->table.add_choice(*app);
  options->table.add_exact(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
