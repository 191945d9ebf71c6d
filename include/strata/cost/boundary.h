// The traffic across the boundary of every module call and of every operation between modules: the
// activations that enter and those that leave. Weights, constants and values that depend on shapes
// alone are not counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strata/cost/layers.h"

namespace strata {

struct BoundaryTensor {
  const Graph* graph = nullptr;
  TensorId tensor = kNone;
  DType dtype = DType::Undefined;  // in which it is held (Costs::quantized)
  Expr bytes() const;              // unknown for sequences and where the rank is not known
  const Tensor& get() const { return graph->tensors[tensor]; }
};

struct Boundary {
  ScopeId scope = 0;            // the call; for an operation, the module that contains it
  std::uint32_t layer = kNone;  // index into Layers::list; kNone: a module that contains modules
  std::uint32_t depth = 0;      // in the module tree: 0 for the network, one deeper for operations
  bool is_operation = false;    // between modules, or in a file without modules
  bool moves_nothing = false;   // an operation that only reshapes its input
  std::uint32_t first = 0;      // index into Boundaries::tensors: inputs, then outputs
  std::uint32_t inputs = 0, outputs = 0;  // counts
};

struct Boundaries {
  // In the order they start to run, a module before what is inside it. The first is the network
  // itself. Calls that no tensor enters or leaves are not listed.
  std::vector<Boundary> list;
  std::vector<BoundaryTensor> tensors;

  // In the order they are first read.
  std::span<const BoundaryTensor> inputs_of(const Boundary& boundary) const {
    return std::span(tensors).subspan(boundary.first, boundary.inputs);
  }
  // In the order they are made.
  std::span<const BoundaryTensor> outputs_of(const Boundary& boundary) const {
    return std::span(tensors).subspan(boundary.first + boundary.inputs, boundary.outputs);
  }
};

// Time and memory grow with the number of edges times the depth of the module tree.
Boundaries find_boundaries(const Model& model, const Costs& costs, const Layers& layers);

// Bytes of a tensor; unknown for sequences and where the rank is not known.
Expr tensor_bytes(const TypeInfo& type);

}  // namespace strata
