// Edits a network: removes, inserts and rewires nodes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/text_map.h"
#include "strata/graph/graph.h"

namespace strata {

// Nodes and tensors keep the original's ids until finish(). The result consists of views into the
// original, which must outlive it: the cost of a copy depends on the graph, not on the weights.
class GraphEdit {
 public:
  explicit GraphEdit(const Model& original);

  Model& model() { return model_; }
  Graph& graph() { return model_.graph(); }
  const Tensor& tensor(TensorId id) const { return model_.graph().tensors[id]; }
  Node node(NodeId id) const { return model_.graph().nodes[id]; }

  void remove(NodeId node) { removed_[node] = true; }
  void set_input(NodeId node, std::size_t slot, TensorId id);
  void set_inputs(NodeId node, std::span<const TensorId> ids);
  void set_output(NodeId node, std::size_t slot, TensorId id);
  void set_attributes(NodeId node, std::span<const Attribute> attributes);
  void set_op(NodeId node, std::string_view op) {
    graph().nodes.change(node, [&](Node& own) { own.op = model_.keep(op); });
  }

  // Sets a name that no other node has: `like`, or `like` with a number.
  void set_name(NodeId node, std::string_view like);

  // A name that no other value has: `like`, or `like` with a number.
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
  // Inserts after the node that makes a tensor, or before all nodes if none does.
  void insert_after(NodeId node, const NewNode& what);
  void insert_before(NodeId node, const NewNode& what);

  // Drops nodes and stored tensors that are no longer needed.
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
  TextSet<std::string_view> names_, node_names_;
};

}  // namespace strata
