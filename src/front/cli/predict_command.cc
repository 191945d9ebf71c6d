#include <fmt/format.h>

#include "cli/device_options.h"
#include "cli/model_options.h"
#include "cli/output.h"
#include "cli/table_options.h"
#include "options/options.h"
#include "strata/task/predict.h"

namespace strata::cli {

namespace {

struct Options {
  ModelOptions model;
  TableOptions table;
  DeviceFiles files;
  PredictRequest request;
  std::vector<std::string> on;
  std::string runtime, layer;
  bool channels_last = false;
};

Status read_devices(Options& options) {
  const auto added = options.files.read();
  if (!added) return failure(added);
  for (const std::string& name : options.on) {
    if (name == "all") {
      for (Device& device : all_devices()) options.request.devices.push_back(std::move(device));
      continue;
    }
    auto found = of_option("--on:", find_devices(name, *added));
    if (!found) return failure(found);
    if (found->count > 1)
      return failure(
          Code::OptionValue, {.name = "--on"},
          fmt::format("--on {}: one device runs the network; write {}", name, found->device.name));
    options.request.devices.push_back(std::move(found->device));
  }
  return {};
}

Result<int> run(Options& options) {
  if (auto status = read_devices(options); !status) return failure(status);
  if (!options.runtime.empty()) options.request.runtime = runtime_from_name(options.runtime);
  if (options.channels_last) options.request.channels = ChannelOrder::Last;
  if (auto status = options.model.read_into(options.request.model); !status) return failure(status);
  const auto outcome = run_predict(options.request);
  if (!outcome) return failure(outcome);
  if (!options.layer.empty()) {
    const auto text = explain_prediction(outcome->source(), options.layer);
    if (!text) return failure(text);
    return ended(options.table.write(*text));
  }
  options.table.limit_to(outcome->loaded.model.file_bytes, options.model.limit);
  return options.table.print(predict_document(outcome->source()));
}

}  // namespace

Command add_predict(App& program) {
  auto options = std::make_shared<Options>();
  App* app = program.add_subcommand("predict", "predict time, memory and energy on another device");
  options->model.add_to(*app);
  options->model.add_wait_to(*app,
                             [options = options.get()] { return options->model.may_be_run(); });
  app->add({{"--on", &options->on},
            {"--device-file", &options->files.paths},
            {"--runtime", &options->runtime},
            {"--precision", &options->request.precision},
            {"--channels-last", &options->channels_last},
            {"--explain", &options->layer}});
  options->table.add_to(*app, Exact::Digits);
  return {app, [options] { return run(*options); }};
}

}  // namespace strata::cli
