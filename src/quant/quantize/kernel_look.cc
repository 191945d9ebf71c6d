#include "quantize/kernel_look.h"

#include <algorithm>

#include "strata/base/text_map.h"
#include "strata/measure/runs_in.h"

namespace strata {

std::string_view name_of(RunsIn runs) {
  switch (runs) {
    case RunsIn::Unknown:
      return "unknown";
    case RunsIn::Float:
      return "float";
    case RunsIn::Int8:
      return "int8";
  }
  return "";
}

Result<std::vector<LayerLook>> look_at_layers(const Engine& engine, const ModelSource& source,
                                              const Model& model,
                                              const std::vector<std::string>& mains,
                                              const SessionOptions& session) {
  if (!engine.tells_plan()) return std::vector<LayerLook>(mains.size());
  const auto plan = plan_kernels(engine, source, session);
  if (!plan) return failure(plan);
  const std::vector<std::string> keys = node_keys(model);
  const std::vector<NodeKernel> kernels = kernels_of_nodes(model, *plan);
  TextMap<std::string_view, std::size_t> layer_of;
  for (std::size_t l = 0; l < mains.size(); ++l) layer_of.emplace(mains[l], l);
  std::vector<LayerLook> looks(mains.size());
  for (std::size_t n = 0; n < std::min(keys.size(), kernels.size()); ++n) {
    const auto layer = layer_of.find(keys[n]);
    if (layer == layer_of.end()) continue;
    const std::string_view precision = precision_name(kernels[n].dtype);
    looks[layer->second].kernel = kernels[n].op;
    if (!precision.empty())
      looks[layer->second].runs = precision == "int8" ? RunsIn::Int8 : RunsIn::Float;
  }
  return looks;
}

}  // namespace strata
