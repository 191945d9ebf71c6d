// What each node of a network costs, counted strata's own way (docs/cost-model.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/base/certainty.h"
#include "strata/graph/graph.h"

namespace strata {

// The cost of running one node (or a sum over nodes) once.
struct NodeCost {
  Expr params;                             // learned parameters, counted where they are read first
  Expr param_bytes;                        // as stored
  Expr macs;                               // multiply-accumulates
  Expr adds, muls, specials;               // arithmetic beside the MACs
  Expr read_bytes;                         // each distinct input and weight once
  Expr weight_bytes;                       // the part of read_bytes that is stored weights
  Expr write_bytes;                        // outputs
  Certainty certainty = Certainty::Exact;  // of macs, adds, muls, specials
  Certainty bytes_certainty = Certainty::Exact;  // of read_bytes and write_bytes
  std::uint32_t learned = 0;  // of a node, bit i: input i is stored and learned, or is state
  bool folded = false;        // depends on stored values alone: computed once, at load
  bool view = false;          // gives its input another shape; moves nothing

  Expr flops() const { return macs * 2 + adds + muls + specials; }
};

// One node as it runs. Nodes of a body stand after the node that runs the body.
struct Executed {
  const Graph* graph;
  NodeId node;
  ScopeId scope;
  Expr times;     // how often per run of the network: 1 outside of loops
  NodeCost cost;  // of one time
  const Node& get() const { return graph->nodes[node]; }
};

struct Costs {
  std::vector<Executed> nodes;  // in the order they run
  NodeCost total;               // Σ times · cost
  // Operators whose cost is not known, each once, and other caveats, as sentences.
  std::vector<std::string> unknown_ops;
  std::vector<std::string> notes;
  std::uint64_t buffers = 0;  // stored elements that are state, not parameters
};

// Needs inferred types. Linear in the number of nodes.
Costs count(const Model& model);

// a += times · b
void add_to(NodeCost& a, const NodeCost& b, const Expr& times);

// The stored tensor that a node's input is made from, through operators that pass
// weights on (Identity, Transpose, Cast, DequantizeLinear); nullptr for an
// activation. `key` tells two parameters apart: equal for one weight read twice.
struct WeightRef {
  const TensorData* data = nullptr;
  const Value* value = nullptr;  // for constants that are given by value
  std::uint64_t key = 0;
  bool from_constant = false;  // a Constant node's, not an initializer
};
WeightRef weight_of(const Graph& graph, TensorId tensor);

}  // namespace strata
