#include "quant/layer_speed.h"

#include <unordered_map>

namespace strata {

std::vector<std::vector<std::string>> layer_node_names(const Model& model,
                                                       const std::vector<QuantLayer>& layers) {
  std::vector<std::vector<std::string>> names;
  for (const QuantLayer& layer : layers) {
    auto& own = names.emplace_back();
    for (const NodeId node : layer.nodes) own.emplace_back(model.graph().nodes[node].name);
  }
  return names;
}

Result<LayerSeconds> layer_seconds(const Engine& engine, const ModelSource& source,
                                   const std::vector<HostTensor>& inputs,
                                   const std::vector<std::vector<std::string>>& names,
                                   const TimingOptions& options) {
  auto timing = time_model(engine, source, inputs, options);
  if (!timing) return tl::unexpected(timing.error());
  std::unordered_map<std::string, std::size_t> layer_of;
  for (std::size_t l = 0; l < names.size(); ++l)
    for (const std::string& name : names[l])
      if (!name.empty()) layer_of.emplace(name, l);
  LayerSeconds out{std::vector<double>(names.size(), -1), summarize(timing->runs).median};
  for (const KernelTimes& kernel : timing->kernels)
    for (const std::string& node : kernel.kernel.sources) {
      const auto layer = layer_of.find(node);
      if (layer == layer_of.end()) continue;
      double& sum = out.layers[layer->second];
      sum = std::max(sum, 0.0) + summarize(kernel.seconds).median;
      break;
    }
  // What recording adds is taken off, and of a short kernel nothing may be left.
  for (double& seconds : out.layers)
    if (seconds == 0) seconds = -1;
  return out;
}

}  // namespace strata
