// The values and nodes of all graphs of a source model in one numbering, with what an optimizer may
// rely on: which values are equal, and which nodes have constant inputs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strata/base/text_map.h"
#include "strata/graph/graph.h"

namespace strata::ort {

using ValueNumber = std::uint32_t;
using NodeNumber = std::uint32_t;  // kNone: none, for both

class SourceValues {
 public:
  explicit SourceValues(const Model& model);

  struct NodeFacts {
    Node node;
    const Graph* graph = nullptr;
    std::string key;                   // as node_keys() calls it
    std::vector<ValueNumber> inputs;   // including those that its bodies capture
    std::vector<ValueNumber> outputs;  // kNone: not used
    NodeNumber owner = kNone;          // for a node in a body: the node that runs the body
    bool constant = false;             // depends on stored values alone
    bool shape_only = false;           // depends on stored values and on shapes, not on elements
    bool passes_on = false;            // its output equals its first input
  };
  struct ValueFacts {
    std::string_view name;
    const Graph* graph = nullptr;
    NodeNumber producer = kNone;
    std::vector<NodeNumber> readers;
    bool stored = false;            // an initializer
    bool is_output = false;         // of its graph
    std::uint32_t equal_class = 0;  // the same for values that an optimizer may merge
  };

  const std::vector<NodeFacts>& nodes() const { return nodes_; }
  const NodeFacts& node(NodeNumber n) const { return nodes_[n]; }
  const ValueFacts& value(ValueNumber v) const { return values_[v]; }
  std::size_t value_count() const { return values_.size(); }

  // kNone if there is no such value, or if several graphs have one and `graph` does not.
  ValueNumber find_value(std::string_view name, const Graph* graph) const;
  NodeNumber find_node(std::string_view name, const Graph* graph) const;

 private:
  void number_values(const Model& model);
  void add_nodes(const Model& model);
  void add_captured_inputs();
  void set_classes();
  std::string class_key(const NodeFacts& node) const;
  ValueNumber resolve(const Graph& graph, TensorId tensor) const;

  std::vector<NodeFacts> nodes_;
  std::vector<ValueFacts> values_;
  std::unordered_map<const Graph*, std::vector<ValueNumber>> numbers_;  // of tensors
  std::unordered_map<const Graph*, NodeNumber> owners_;
  TextMultimap<std::string_view, ValueNumber> value_names_;
  TextMultimap<std::string_view, NodeNumber> node_names_;
};

}  // namespace strata::ort
