// A network with some nodes taken out, put in and rewired.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

// Numbers of nodes and tensors are those of the original until finish(). The result is
// made of views into the original, which must outlive it: a copy costs what its graph
// costs, whatever the weights are.
class GraphEdit {
 public:
  explicit GraphEdit(const Model& original);

  Model& model() { return model_; }
  Graph& graph() { return model_.graph(); }
  const Tensor& tensor(TensorId id) const { return model_.graph().tensors[id]; }
  const Node& node(NodeId id) const { return model_.graph().nodes[id]; }

  void remove(NodeId node) { removed_[node] = true; }
  void set_input(NodeId node, std::size_t slot, TensorId id);
  void set_inputs(NodeId node, std::span<const TensorId> ids);
  void set_output(NodeId node, std::size_t slot, TensorId id);
  void set_attributes(NodeId node, std::span<const Attribute> attributes);
  void set_op(NodeId node, std::string_view op) { graph().nodes[node].op = model_.keep(op); }

  // A name that no other node has: `like`, or that with a number.
  void set_name(NodeId node, std::string_view like);

  // A name that no other value has: `like`, or that with a number.
  std::string_view new_name(std::string_view like);
  TensorId add_activation(std::string_view name, const TypeInfo& type);
  TensorId add_stored(std::string_view name, DType dtype, std::span<const std::int64_t> dims,
                      std::string_view bytes);
  template <class T>
  TensorId add_stored(std::string_view name, DType dtype, std::span<const std::int64_t> dims,
                      std::span<const T> items) {
    return add_stored(
        name, dtype, dims,
        std::string_view(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)));
  }

  struct NewNode {
    std::string_view op;
    std::string_view name;
    std::span<const TensorId> inputs;
    TensorId output = kNone;
    std::span<const Attribute> attributes = {};
    ScopeId scope = 0;
  };
  // After the node that makes a tensor, or before all nodes if none does.
  void insert_after(NodeId node, const NewNode& what);
  void insert_before(NodeId node, const NewNode& what);

  // Nodes and stored tensors that nothing needs any more are left out.
  Model finish() &&;

 private:
  std::string_view new_node_name(std::string_view like);
  Node made(const NewNode& what);
  void drop_dead_nodes(std::vector<Node>& nodes) const;
  void renumber_tensors();

  Model model_;
  std::vector<bool> removed_;
  std::vector<Node> first_;
  std::vector<std::vector<Node>> before_, after_;  // by node
  std::unordered_set<std::string_view> names_, node_names_;
};

}  // namespace strata
