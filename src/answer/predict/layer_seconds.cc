#include "predict/layer_seconds.h"

#include <fmt/format.h>

#include "strata/base/number_text.h"
#include "strata/predict/predict.h"

namespace strata {

Runtime usual_runtime(const Device& device) {
  if (device.measured)
    if (const auto runtime = runtime_from_name(device.measured->runtime)) return *runtime;
  return device.kind == "gpu" || device.kind == "edge" || device.kind == "accelerator"
             ? Runtime::Eager
             : Runtime::Compiled;
}

Result<LayerTimes> times_on_device(const Model& model, const Costs& costs, const Layers& layers,
                                   const Device& device) {
  const Runtime runtime = usual_runtime(device);
  auto predictor = Predictor::make(device, runtime, "");
  if (!predictor) return failure(predictor);
  LayerTimes out;
  auto kernels = find_kernels(model, costs, runtime, out.notes);
  if (!kernels) return failure(kernels);
  std::vector<std::uint32_t> layer_of(costs.nodes.size(), kNone);
  for (std::uint32_t i = 0; i < layers.list.size(); ++i)
    for (const std::uint32_t node : layers.nodes_of(layers.list[i])) layer_of[node] = i;
  out.seconds.assign(layers.list.size(), 0.0);
  const DeviceTime time = predictor->time(*kernels);
  for (std::size_t i = 0; i < kernels->size(); ++i)
    if (const std::uint32_t layer = layer_of[(*kernels)[i].nodes.front()]; layer != kNone)
      out.seconds[layer] += time.kernels[i].seconds;
  out.notes.push_back(fmt::format("times on {} are predicted ({}, {}): {} in all, likely {} to {}",
                                  device.name, name_of(runtime), predictor->precision(),
                                  human_seconds(time.seconds), human_seconds(time.low),
                                  human_seconds(time.high)));
  return out;
}

}  // namespace strata
