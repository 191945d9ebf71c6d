// How long each layer takes, in floats and in int8.
#pragma once

#include <vector>

#include "strata/measure/timing.h"
#include "strata/quant/layers.h"

namespace strata {

struct LayerSeconds {
  std::vector<double> layers;  // as `names`; -1: no kernel of it was seen, or none that takes time
  double whole = 0;            // median of the network
};

// As the network really runs: kernels are given to the first layer that one of their nodes is
// of. `names` are those of the nodes of each layer, which the model in `source` shares. Nodes of
// no layer are left out.
Result<LayerSeconds> layer_seconds(const Engine& engine, const ModelSource& source,
                                   const std::vector<HostTensor>& inputs,
                                   const std::vector<std::vector<std::string>>& names,
                                   const TimingOptions& options);

// The names of the layers' nodes.
std::vector<std::vector<std::string>> layer_node_names(const Model& model,
                                                       const std::vector<QuantLayer>& layers);

}  // namespace strata
