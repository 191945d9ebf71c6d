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
  std::vector<std::size_t> cut_of;    // by start: the latest kept cut at or before it
  std::vector<double> share;          // by start: work after that cut, of the whole network's
  std::vector<std::string> tensors;   // to be kept, inputs of the network apart
  std::int64_t bytes_per_sample = 0;  // of `tensors`
};

// Where to keep activations so that the least work is done again for all that starts at these
// nodes, in at most so many bytes a sample. `work` is by node of the main graph. Cuts whose sizes
// are not known as numbers are left out.
KeptPlan plan_kept(const Model& model, std::span<const NodeId> starts, std::span<const double> work,
                   std::int64_t bytes_per_sample);

// Before the layer's first node.
NodeId start_of(const QuantLayer& layer);
// Work of each node of the main graph in MACs, bodies with the node that runs them.
std::vector<double> work_of(const Model& model);

}  // namespace strata
