// Which node and layer of the source model each kernel of an engine counts at, and in which
// precision it runs.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "strata/engine/engine.h"
#include "strata/profile/analysis.h"

namespace strata {

// Finds nodes by the names that engines use.
class SourceNodes {
 public:
  explicit SourceNodes(const Analysis& analysis);
  // Indices into Costs::nodes; kNone if no such node runs.
  std::uint32_t find(const std::string& key) const;
  // Of the nodes that a kernel does the work of, the one with the most; kNone: it has none.
  std::uint32_t main_source(const Kernel& kernel) const;
  std::uint32_t layer_of(std::uint32_t node) const { return layer_of_[node]; }
  const std::unordered_map<std::string, std::uint32_t>& all() const { return places_; }

 private:
  const Analysis& analysis_;
  std::unordered_map<std::string, std::uint32_t> places_;
  std::vector<std::uint32_t> layer_of_;  // by node
};

struct PlacedKernels {
  std::vector<std::uint32_t> main;  // by kernel: the node that it counts at, or kNone
  // By layer without a kernel of its own: the layer whose kernel does its work, or why it does
  // not run (`folded into a constant`). Empty for the others.
  std::vector<std::string> instead;
  std::vector<std::string> unassigned;  // nodes that neither run nor are known not to
};

PlacedKernels place_kernels(const Analysis& analysis, const SourceNodes& nodes,
                            std::span<const Kernel* const> kernels,
                            std::span<const Session::Absent> absent);

// Notes at each node and layer the precisions that its kernels compute in. Nodes that only
// round or restore say nothing of their layer.
void use_precisions(Analysis& analysis, const SourceNodes& nodes,
                    std::span<const Kernel* const> kernels);

}  // namespace strata
