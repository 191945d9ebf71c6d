#include <fmt/format.h>

#include "cli/advice.h"
#include "cli/complain.h"
#include "cli/data_options.h"
#include "cli/engine_options.h"
#include "cli/job_display.h"
#include "cli/model_options.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "strata/report/quantize.h"
#include "strata/task/quantize.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  DataOptions data;
  EngineOptions engine;
  QuantizeRequest request;
  TableOptions table;
  std::string method;
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

Status read_options(Options& options) {
  QuantizeRequest& request = options.request;
  if (!options.method.empty()) {
    RangeOptions choice;
    choice.choice = *range_choice_from_name(options.method);
    choice.percentile = options.percentile;
    request.choice = choice;
  }
  request.time = !options.no_time;
  auto model = options.model.request();
  if (!model) return failure(model);
  // A file of ranges may say where its samples come from.
  auto data = request.ranges.empty() ? options.data.request() : options.data.request_if_any();
  if (!data) return failure(data);
  auto engine = options.engine.request();
  if (!engine) return failure(engine);
  request.model = std::move(*model);
  request.data = std::move(*data);
  request.engine = std::move(*engine);
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
  const std::string format = options.table.format();
  if (format != "table")
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
  app->footer(kFooter);
  options->model.add_to(*app);
  options->data.add_to(*app);
  app->remove_option("--labels");
  app->add_option("-o,--output OUT", request.output, "the model to write")->required();
  app->add_option("--ranges FILE", request.ranges,
                  "file of `strata calibrate`; ranges are measured if not given");
  app->add_option("--method NAME", options->method,
                  "how ranges are chosen: minmax, percentile, entropy, mse (default: the file's)")
      ->one_of({"minmax", "percentile", "entropy", "mse"});
  app->add_option("--percentile P", options->percentile,
                  "percentage of elements that are kept (default 99.99)")
      ->within(50.0, 100.0)
      ->needs([options] { return options->method == "percentile"; },
              "another method chooses the ranges; add --method percentile");
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
  options->engine.add_to(*app);
  const Option* no_time = app->add_flag("--no-time", options->no_time, "measure no times");
  app->add_quantity("--max-time TIME", Quantity::TimeLimit, request.seconds,
                    "how long to measure the speed-up (default 10s to 90s)")
      ->excludes(no_time, "no times are measured");
  options->table.add_to(*app, {"table", "csv", "json", "md", "html"}, "--table");
  options->table.add_choice(*app);
  options->table.add_exact(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
