// Finds the tensors of a network with QuantizeLinear and DequantizeLinear that are held as
// integers. ONNX writes a layer that computes in int8 as DequantizeLinear, the layer in float,
// QuantizeLinear; engines run the three as one kernel, and the floats between them are never in
// memory.
#pragma once

#include <cstdint>
#include <vector>

#include "strata/base/expr.h"
#include "strata/graph/graph.h"

namespace strata {

struct Costs;

class QuantizedTensors {
 public:
  // Reads the file literally: every tensor has the type that the file gives it.
  QuantizedTensors() = default;
  // Covers the network's own graph; the insides of bodies are read literally.
  QuantizedTensors(const Model& model, const Costs& costs);

  bool empty() const { return computes_.empty(); }
  // The type in which a tensor is held, and its size in bytes (unknown if its rank is).
  DType type_of(const Graph& graph, TensorId tensor) const;
  TypeInfo held(const Graph& graph, TensorId tensor) const;
  Expr bytes_of(const Graph& graph, TensorId tensor) const;
  // True if the node does nothing: its output is its first input, as it is held.
  bool passes(const Graph& graph, NodeId node) const;
  // The tensor that a node reads in place of one of its inputs: the integers, if it computes with
  // integers.
  TensorId read_by(const Graph& graph, NodeId node, TensorId input) const;

 private:
  bool is_own(const Graph& graph) const { return &graph == graph_ && !empty(); }

  const Graph* graph_ = nullptr;
  std::vector<bool> computes_;  // by node: it computes with integers
  std::vector<bool> passes_;    // by node
  std::vector<DType> types_;    // by tensor; Undefined: as the file has it
};

}  // namespace strata
