// Which nodes of a model run in which kernel, told from the model that ONNX Runtime made
// of it and saved.
//
// An optimized node computes a set of source nodes: those between the source values that
// it gives and the ones that it reads. Values keep their names through most of the
// optimizer's work; where they do not, the names of nodes tell (docs/engines.md).
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

// Nodes of both must have names. Types in `source` help, and need not be inferred; those in
// `optimized` are the kernels'.
Fusion assign_sources(const Model& source, const Model& optimized);

}  // namespace strata::ort
