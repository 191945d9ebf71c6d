#include "cli/job_display.h"
#include "cli/outlet.h"
#include "cli/sample_options.h"
#include "cli/table_options.h"
#include "manual/advice.h"
#include "options/options.h"
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
  request.choice = options.ranges.choice();
  request.time = !options.no_time;
  // A file of ranges may say where its samples come from.
  if (Status status = options.on.read_into(request, request.ranges.empty()); !status) return status;
  return options.table.check("quantization");
}

Result<int> run(Options& options) {
  if (Status status = read_options(options); !status) return failure(status);
  JobDisplay display;
  auto report = display.run(run_quantize, options.request);
  if (!report && display.stopped()) return interrupted(manual::advised(report.error()));
  if (!report) return failure(report);
  report->advice = {.keep_auto = "; --keep-float auto keeps in float what that takes",
                    .keep_output = "; --keep-float LAYER:output keeps an output in float, too",
                    .more_samples = " (--held-out)",
                    .more_time = ": give more --max-time"};
  if (options.table.format() != "table")
    for (const std::string& warning : quantize_warnings(*report)) complain("warning: " + warning);
  return report->outcome.interrupted ? options.table.print_partial(quantize_document(*report))
                                     : options.table.print(quantize_document(*report));
}

}  // namespace

Command add_quantize(App& program) {
  auto options = std::make_shared<Options>();
  QuantizeRequest& request = options->request;
  App* app =
      program.add_subcommand("quantize", "write an int8 model; layers that break stay in float");
  options->on.model.add_to(*app);
  options->on.data.add_to(*app);
  app->remove_option("--labels");
  app->add({{"--output", &request.output}, {"--ranges", &request.ranges}});
  options->ranges.add_to(*app);
  app->add({{"--keep-float", &request.keep_float},
            {"--min-sqnr", &request.target.min_sqnr},
            {"--max-drop", &request.target.max_drop},
            {"--held-out", &request.held_out}});
  options->on.engine.add_to(*app);
  options->on.model.add_wait_to(*app);
  app->add({{"--no-time", &options->no_time}, {"--max-time", &request.seconds}});
  options->table.add_to(*app, Exact::Digits, "--table");
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
