// The cost of each node of a network, counted in strata's own way (docs/cost-model.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strata/base/certainty.h"
#include "strata/cost/quantized_tensors.h"
#include "strata/graph/graph.h"

namespace strata {

// The cost of running one node (or a sum over nodes) once.
struct NodeCost {
  Expr params;                             // learned parameters, counted where they are first read
  Expr param_bytes;                        // as stored
  Expr macs;                               // multiply-accumulates
  Expr adds, muls, specials;               // arithmetic in addition to the MACs
  Expr read_bytes;                         // each distinct input and weight, once
  Expr weight_bytes;                       // the part of read_bytes that is stored weights
  Expr write_bytes;                        // outputs
  Certainty certainty = Certainty::Exact;  // of macs, adds, muls, specials
  Certainty bytes_certainty = Certainty::Exact;  // of read_bytes and write_bytes
  std::uint32_t learned =
      0;                 // for a node: bit i means that input i is stored and learned, or state
  bool folded = false;   // depends only on stored values: computed once, at load
  bool at_load = false;  // likewise, but counted (CountOptions::load_work); not folded
  bool view = false;     // only reshapes its input; moves nothing
  // An If that the file does not decide, and no branch is the larger one in every figure for all
  // sizes: its cost is what the other branches can cost above the one whose nodes are listed.
  bool depends_on_branch = false;

  Expr flops() const { return macs * 2 + adds + muls + specials; }
};

// One node as it runs. The nodes of a body follow the node that runs the body.
struct Executed {
  const Graph* graph = nullptr;
  NodeId node = 0;
  ScopeId scope = 0;
  Expr times;               // how often it runs per run of the network: 1 outside of loops
  Shared<NodeCost> cost;    // of running it once; nodes that cost the same share it
  const Node get() const {  // NOLINT(readability-const-return-type): see NodeList
    return graph->nodes[node];
  }
};

struct Costs {
  std::vector<Executed> nodes;  // in the order they run
  NodeCost total;               // Σ times · cost
  // Operators whose cost is unknown, without duplicates. `notes` are other caveats, as sentences.
  std::vector<std::string> unknown_ops;
  std::vector<std::string> lower_bounds;  // operators that may cost more, and why, as sentences
  std::vector<std::string> notes;
  std::uint64_t buffers = 0;  // stored elements that are state, not parameters
  // Some arithmetic is done on stored values alone, once, when the model is loaded.
  bool has_load_work = false;
  bool dequantizes = false;    // some node makes floats of quantized integers
  QuantizedTensors quantized;  // tensors that are held as integers, unless CountOptions::as_stored
};

struct CountOptions {
  // Also count the work on stored values alone, as if it were done in every run. PyTorch does so:
  // it knows no constants.
  bool load_work = false;
  // Read QuantizeLinear and DequantizeLinear literally: every tensor is held in the type that the
  // file gives it.
  bool as_stored = false;
};

// Types must have been inferred. Takes time linear in the number of nodes.
Costs count(const Model& model, const CountOptions& options = {});

// a += times · b
void add_to(NodeCost& a, const NodeCost& b, const Expr& times);

// The stored tensor that a node's input is made from, through operators that pass weights on
// (Identity, Transpose, Cast, DequantizeLinear); nullptr for an activation. `key` distinguishes
// parameters: it is the same for one weight that is read twice.
struct WeightRef {
  const TensorData* data = nullptr;
  const Value* value = nullptr;  // for constants that are given by value
  std::uint64_t key = 0;
  bool from_constant = false;  // from a Constant node, not an initializer
};
WeightRef weight_of(const Graph& graph, TensorId tensor);

}  // namespace strata
