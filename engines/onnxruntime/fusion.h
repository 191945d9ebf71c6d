// Finds which nodes of a model run in which kernel, from the optimized model that ONNX Runtime
// saved.
//
// An optimized node computes a set of source nodes: those between the source values that it reads
// and the ones that it writes. Values keep their names through most of the optimizer's work; where
// they do not, the names of nodes help (docs/engines.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernel_types.h"
#include "strata/engine/plugin.h"
#include "strata/graph/graph.h"

namespace strata::ort {

struct FusedKernel {
  std::string name, op;  // as in the optimized model and in profiles
  StrataKernelKind kind = STRATA_KERNEL_OTHER;
  std::vector<std::string> sources;  // as node_keys() calls them
  KernelTypes types = {};
};

struct Fusion {
  std::vector<FusedKernel> kernels;                         // one per node of the optimized model
  std::vector<std::pair<std::string, std::string>> absent;  // source nodes in no kernel, and why
  // Source nodes that no rule placed; they went to the kernel of a neighbour.
  std::vector<std::string> guessed;
};

// Nodes of both must have names. Types in `source` help, but need not be inferred; those in
// `optimized` become the kernels' types.
Fusion assign_sources(const Model& source, const Model& optimized);

}  // namespace strata::ort
