// This machine as a device for predictions.
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/engine_options.h"
#include "cli/job_display.h"
#include "cli/output.h"
#include "options/options.h"
#include "strata/base/statistics.h"
#include "strata/task/calibrate_device.h"

namespace strata::cli {

namespace {

struct Options {
  EngineOptions engine;
  CalibrateDeviceRequest request;
};

std::string summary(const CalibrateDeviceOutcome& outcome, const std::string& path) {
  const auto device = parse_device(outcome.text, "device", path);
  if (!device || !device->measured) return "";
  std::vector<double> errors;
  for (const CalibrationRun& run : outcome.runs)
    errors.push_back(std::abs(run.predicted / run.measured - 1));
  const std::string name = std::filesystem::path(path).stem().string();
  std::string text =
      fmt::format("Wrote {}: {} with {}.\n", path, device->title, device->measured->engine);
  text += fmt::format(
      "Each of the {} networks was predicted by constants of the others: the median error is "
      "{:.0f} "
      "%, and 9 of 10 take {:.2f} to {:.2f} times as long as predicted.\n",
      outcome.runs.size(), 100 * median_of(errors), device->measured->low, device->measured->high);
  if (outcome.waited > 0.1)
    text += fmt::format("Other programs had the processor for {:.0f} % of the time.\n",
                        100 * outcome.waited);
  text += fmt::format("Use it: strata predict MODEL --on {} --device-file {}\n", name, path);
  return text;
}

Result<int> run(Options& options) {
  auto engine = options.engine.request();
  if (!engine) return failure(engine);
  options.request.engine = std::move(*engine);
  JobDisplay display;
  const auto outcome = display.run(run_calibrate_device, options.request);
  if (!outcome) return failure(outcome);
  if (outcome->interrupted)
    return interrupted(fmt::format("interrupted: {} was not written", options.request.output));
  return ended(write_output("", summary(*outcome, options.request.output)));
}

}  // namespace

Command add_calibrate_device(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("calibrate-device", "measure this machine for predictions");
  app->add({{"--output", &options->request.output}, {"--max-time", &options->request.seconds}});
  options->engine.add_to(*app);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
