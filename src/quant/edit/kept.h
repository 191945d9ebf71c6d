// Activations that are kept so that only what follows a layer has to be computed again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "edit/tail.h"
#include "strata/edit/layers.h"

namespace strata {

struct KeptPlan {
  std::vector<TailCut> cuts;        // the first is before all nodes: the network's inputs
  std::vector<std::size_t> cut_of;  // by start: the latest kept cut at or before it
  std::vector<double> share;  // by start: work after that cut, as a share of the whole network's
  std::vector<std::string> tensors;   // to be kept, without inputs of the network
  std::int64_t bytes_per_sample = 0;  // of `tensors`
};

// Chooses where to keep activations so that the least work is repeated for runs that start at these
// nodes, with at most this many bytes per sample. `work` is by node of the main graph. Cuts whose
// sizes are not known as numbers are not used.
KeptPlan plan_kept(const Model& model, std::span<const NodeId> starts, std::span<const double> work,
                   std::int64_t bytes_per_sample);

// The layer's first node.
NodeId start_of(const QuantLayer& layer);
// The work of each node of the main graph in MACs; bodies count for the node that runs them.
std::vector<double> work_of(const Model& model);

}  // namespace strata
