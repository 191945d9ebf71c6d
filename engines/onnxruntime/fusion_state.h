// Shared state of assign_sources() and its last step.
#pragma once

#include <string>
#include <vector>

#include "fusion.h"
#include "source_values.h"

namespace strata::ort {

using KernelNumber = std::uint32_t;

struct FusionState {
  explicit FusionState(const Model& model)
      : source(model), kernel_of(source.nodes().size(), kNone), stored(source.value_count()) {}

  SourceValues source;
  std::vector<KernelNumber> kernel_of;  // by source node
  std::vector<bool> stored;             // by source value: the optimized model stores it
};

// Adds to a kernel's sources, and to those of all kernels that share its work, which have the same
// list.
void add_sources(Fusion& fusion, KernelNumber kernel, const std::vector<std::string>& sources);

// Finds a place or a reason for every node that has neither yet.
void place_the_rest(FusionState& state, Fusion& out);

}  // namespace strata::ort
