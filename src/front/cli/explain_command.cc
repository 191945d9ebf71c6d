#include "cli/device_options.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "options/options.h"
#include "strata/task/explain.h"
#include "strata/task/predict.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  ExplainRequest request;
  std::string output;
  DeviceFiles devices;
  std::string on;
};

// The time that is predicted for the layer, with its numbers.
Result<std::string> predicted(const Options& options, const Device& device) {
  const auto outcome =
      run_predict({.model = options.request.model, .devices = {device}, .batches = false});
  if (!outcome) return failure(outcome);
  return explain_prediction(outcome->source(), options.request.layer);
}

Result<int> run(Options& options) {
  if (auto status = options.model.read_into(options.request.model); !status) return failure(status);
  options.request.style.color = options.output.empty() && wants_color("auto");
  std::optional<Device> device;
  if (auto status = read_device(options.on, options.devices, device); !status)
    return failure(status);
  auto text = run_explain(options.request);
  if (!text) return failure(text);
  if (device) {
    const auto time = predicted(options, *device);
    if (!time) return failure(time);
    *text += "\n" + *time;
  }
  return ended(write_output(options.output, *text));
}

}  // namespace

Command add_explain(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("explain", "show the formula behind a layer's numbers");
  options->model.add_to(*app);
  options->model.add_wait_to(*app,
                             [options = options.get()] { return options->model.may_be_run(); });
  app->add({{"layer", &options->request.layer},
            {"--count", &options->request.convention},
            {"--on", &options->on},
            {"--device-file", &options->devices.paths},
            {"--output", &options->output}});
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
