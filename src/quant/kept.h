// Activations that are kept so that only what follows a layer has to be computed again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quant/tail.h"
#include "strata/quant/layers.h"

namespace strata {

struct KeptPlan {
  std::vector<TailCut> cuts;          // the first is before all nodes: the network's inputs
  std::vector<std::size_t> cut_of;    // by layer: the latest kept cut at or before it
  std::vector<double> share;          // by layer: work after that cut, of the whole network's
  std::vector<std::string> tensors;   // to be kept, inputs of the network apart
  std::int64_t bytes_per_sample = 0;  // of `tensors`
};

// Where to keep activations so that the least work is done again for all layers of `wanted`
// together, in at most so many bytes a sample. `work` is by node of the main graph. Cuts
// whose sizes are not known as numbers are left out.
KeptPlan plan_kept(const Model& model, const std::vector<QuantLayer>& layers,
                   const std::vector<bool>& wanted, std::span<const double> work,
                   std::int64_t bytes_per_sample);

}  // namespace strata
