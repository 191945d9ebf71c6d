#include "task/int8_model.h"

#include <filesystem>

#include <fmt/format.h>

#include "strata/edit/qdq.h"
#include "strata/machine/machine.h"
#include "strata/task/calibrate.h"
#include "strata/write/onnx.h"
#include "task/activation_ranges.h"

namespace strata {

namespace {

constexpr std::int64_t kSamples = 16;  // default

Result<Calibration> calibration_of(const Int8Request& request, const Observer& observer) {
  CalibrateRequest calibration{{request.file}, request.data};
  DatasetOptions& data = calibration.data.data;
  data.random = request.data.path.empty();
  if (data.samples == 0) data.samples = kSamples;
  calibration.engine.path = request.engine_path;
  calibration.program = request.program;
  calibration.model.trust_model = request.trust_model;
  auto result = run_calibrate(calibration, observer);
  if (!result) return failure(result);
  if (result->interrupted)
    return failure(Code::Cancelled, {}, "stopped while its ranges were being measured");
  return std::move(result->calibration);
}

}  // namespace

Result<Int8Model> int8_model(const Int8Request& request, const Observer& observer) {
  std::error_code error;
  if (!request.given.empty()) {
    if (!std::filesystem::exists(request.given, error))
      return failure(Code::NoInt8File, {.file = request.given});
    return Int8Model{request.given, ""};
  }
  const std::string samples = fmt::format(
      "{} {}samples", request.data.data.samples == 0 ? kSamples : request.data.data.samples,
      request.data.path.empty() ? "random " : "");
  Int8Model made{request.output, "calibrated on " + samples};
  if (std::filesystem::exists(request.output, error)) return made;

  auto loaded = load_model({request.file});
  if (!loaded) return failure(loaded);
  if (auto status = check_not_quantized(loaded->model); !status) return failure(status);
  auto calibration = calibration_of(request, observer);
  if (!calibration) return failure(calibration);
  auto ranges = ranges_of(*calibration, calibration->choice);
  if (!ranges) return failure(ranges);
  QdqPlan plan;
  plan.ranges = std::move(*ranges);
  plan.reduce_range = cuts_off_products(read_machine().isa);
  const std::vector<QuantLayer> layers = find_quant_layers(loaded->model);
  auto quantized_model = quantized(loaded->model, layers, plan);
  if (!quantized_model) return failure(quantized_model);
  if (auto status = write_onnx(quantized_model->model, request.output); !status)
    return failure(status);
  return made;
}

}  // namespace strata
