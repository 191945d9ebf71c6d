// Finds the node and the layer of the source model that each kernel of an engine counts at, and the
// precision it runs in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "strata/base/text_map.h"
#include "strata/engine/engine.h"
#include "strata/profile/analysis.h"

namespace strata {

// Finds nodes by the names that engines use.
class SourceNodes {
 public:
  explicit SourceNodes(const Analysis& analysis);
  // Indices into Costs::nodes; kNone if no such node runs.
  std::uint32_t find(const std::string& key) const;
  // Returns the node with the most work among those that a kernel computes; kNone: it has none.
  std::uint32_t main_source(const Kernel& kernel) const;
  std::uint32_t layer_of(std::uint32_t node) const { return layer_of_[node]; }
  const TextMap<std::string, std::uint32_t>& all() const { return places_; }

 private:
  const Analysis& analysis_;
  TextMap<std::string, std::uint32_t> places_;
  std::vector<std::uint32_t> layer_of_;  // by node
};

struct PlacedKernels {
  std::vector<std::uint32_t> main;  // by kernel: the node that it counts at, or kNone
  // For each layer without a kernel of its own: the layer whose kernel does its work, or the reason
  // why it does not run (`folded into a constant`). Empty for the others.
  std::vector<std::string> instead;
  std::vector<bool> fused;               // by layer: `instead` names another layer
  std::vector<std::uint32_t> counts_at;  // by node: the main node of its kernel, or kNone
  std::vector<std::string> unassigned;   // nodes that neither run nor are known not to
};

PlacedKernels place_kernels(const Analysis& analysis, const SourceNodes& nodes,
                            std::span<const Kernel* const> kernels,
                            std::span<const Session::Absent> absent);

// Notes at each node and layer the precisions that its kernels compute in. Nodes that only
// round or restore say nothing of their layer.
void use_precisions(Analysis& analysis, const SourceNodes& nodes,
                    std::span<const Kernel* const> kernels);

}  // namespace strata
