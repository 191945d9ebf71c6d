// Graphs: the network's own, and those that nodes of control flow run.
#pragma once

#include <string_view>
#include <vector>

#include "base/name_table.h"
#include "read/pt2/arguments.h"
#include "read/pt2/loading.h"

namespace strata::pt2 {

class GraphReader {
 public:
  // Nodes that state no module are in `scope`. `depth` counts the graphs around this one.
  GraphReader(Loading& loading, Graph& graph, ScopeId scope, int depth)
      : loading_(loading), graph_(graph), scope_(scope), depth_(depth) {}

  // The inputs of the text are these tensors of the graph, so that its nodes become part of the
  // graph around it. Their names get the prefix, since other graphs use the same ones.
  void inline_with(std::vector<TensorId> inputs, std::string_view prefix);

  // Reads a Graph.
  void read(JsonText& json);

  Loading& loading() { return loading_; }
  Graph& graph() { return graph_; }
  int depth() const { return depth_; }
  // One for each input of the text; kNone for what is not a tensor.
  const std::vector<TensorId>& inputs() const { return inputs_; }
  const std::vector<TensorId>& outputs() const { return outputs_; }

  // The tensor with this name; kNone for an empty name.
  TensorId use(std::string_view name) const;
  TensorId find(std::string_view name) const;  // kNone if there is none
  // Lets a name stand for a tensor that is there.
  void bind(std::string_view name, TensorId id);
  // Adds a node and the tensors it makes, one for each output of the text.
  void add(Node node, const NodeText& text, std::span<const TensorId> inputs,
           std::span<const Attribute> attributes);
  // A body that runs once for each slice of this tensor, whose sizes are not known yet.
  void runs_along(Graph& body, TensorId sliced) { along_.push_back({&body, sliced}); }

 private:
  struct Along {
    Graph* body;
    TensorId sliced;
  };
  void read_inputs(JsonText& json);
  void read_nodes(JsonText& json);
  void read_types(JsonText& json);
  void read_outputs(JsonText& json);
  void add_operator(const NodeText& text);
  TensorId new_tensor(std::string_view name, Role role);
  // The name in the model: with the prefix, if the graph is inlined.
  std::string_view full_name(std::string_view name);

  Loading& loading_;
  Graph& graph_;
  const ScopeId scope_;
  const int depth_;
  NameTable names_;
  std::vector<TensorId> inputs_, outputs_;
  std::vector<TensorId> given_;  // inline_with
  bool is_inline_ = false;
  std::string prefix_;  // shortened: it stands before every name
  std::vector<Along> along_;
  NodeText text_;      // of the node being read
  Operands operands_;  // likewise
  std::vector<TensorId> ids_;
};

}  // namespace strata::pt2
