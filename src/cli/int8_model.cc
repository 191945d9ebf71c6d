#include "cli/int8_model.h"

#include <filesystem>

#include <fmt/format.h>

#include "cli/calibrate_run.h"
#include "strata/measure/machine.h"
#include "strata/quant/qdq.h"

namespace strata::cli {

namespace {

constexpr std::int64_t kSamples = 16;  // where the user says nothing

Result<Calibration> calibration_of(const Int8Request& request) {
  CalibrateRun run;
  run.model.path = request.file;
  run.data = request.data;
  run.data.data.random = run.data.path.empty();
  if (run.data.data.samples == 0) run.data.data.samples = kSamples;
  run.engine.path = request.engine_path;
  auto result = run_calibration(run);
  if (!result) return tl::unexpected(result.error());
  if (result->interrupted) return failure("stopped while its ranges were being measured");
  return std::move(result->calibration);
}

}  // namespace

Result<Int8Model> int8_model(const Int8Request& request) {
  std::error_code error;
  if (!request.given.empty()) {
    if (!std::filesystem::exists(request.given, error))
      return failure(fmt::format("{}: there is no such file; check --int8", request.given));
    return Int8Model{request.given, ""};
  }
  const std::string samples = fmt::format(
      "{} {}samples", request.data.data.samples == 0 ? kSamples : request.data.data.samples,
      request.data.path.empty() ? "random " : "");
  Int8Model made{request.output, "calibrated on " + samples};
  if (std::filesystem::exists(request.output, error)) return made;

  ModelOptions options;
  options.path = request.file;
  auto loaded = load(options);
  if (!loaded) return tl::unexpected(loaded.error());
  if (auto status = check_not_quantized(loaded->model); !status)
    return tl::unexpected(status.error());
  auto calibration = calibration_of(request);
  if (!calibration) return tl::unexpected(calibration.error());
  QdqPlan plan;
  plan.reduce_range = cuts_off_products(read_machine().isa);
  for (const TensorSketch& tensor : calibration->tensors) {
    auto range = choose_range(tensor.sketch, calibration->choice);
    if (!range) return failure(fmt::format("{}: {}", tensor.name, range.error().message));
    plan.ranges[tensor.name] = *range;
  }
  const std::vector<QuantLayer> layers = find_quant_layers(loaded->model);
  auto quantized_model = quantized(loaded->model, layers, plan);
  if (!quantized_model) return tl::unexpected(quantized_model.error());
  if (auto status = write_onnx(quantized_model->model, request.output); !status)
    return tl::unexpected(status.error());
  return made;
}

}  // namespace strata::cli
