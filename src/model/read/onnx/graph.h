// Graphs: the network's own and the bodies of control flow.
#pragma once

#include <string_view>
#include <vector>

#include "read/onnx/loading.h"
#include "read/onnx/names.h"
#include "read/onnx/node.h"
#include "read/onnx/type.h"

namespace strata::onnx {

class GraphBuilder;
struct Call;

// The meaning of a node's text at the node's place.
struct Environment {
  GraphBuilder& graph;
  Names& names;
  const Call* call;     // the call whose function it is part of; null if none
  ScopeTree::Id scope;  // of nodes that do not state their own
  int depth;            // number of bodies and calls around it
};

class GraphBuilder {
 public:
  GraphBuilder(Loading& loading, Graph& graph) : loading_(loading), graph_(graph) {}

  Graph& graph() { return graph_; }
  // Reads a GraphProto. `here` is this builder's own environment.
  void read(const Environment& here, std::string_view message);
  // Reads a NodeProto: a node, or a call that is replaced by the function's nodes.
  void add_node(const Environment& here, std::string_view message);
  // Adds the values of inlined calls, whose names must not collide with those of the graph.
  void add_made_up(std::span<const TensorId> ids) {
    made_up_.insert(made_up_.end(), ids.begin(), ids.end());
  }

 private:
  struct Parts;
  Parts collect(std::string_view message);
  void add_initializers(const Environment& here, const Parts& parts);
  void add_inputs(const Environment& here, const Parts& parts);
  void add_outputs(const Environment& here, const Parts& parts);
  void add_declared_type(const Environment& here, const ValueText& value);
  void add_attributes(const Environment& here, const NodeText& text, Node& node);
  ModuleName layer_of(const NodeText& text, const Node& node);
  void close(const Environment& here);
  TensorId captured(Names& outer, std::string_view name);
  [[noreturn]] void nobody_defines(TensorId id) const;

  Loading& loading_;
  Graph& graph_;
  std::vector<TensorId> made_up_;
  bool inputs_say_kind_ = false;
};

// Reads a body: a GraphProto in an attribute of a node at `here`. Its names have the meaning they
// have at `meaning`, which is elsewhere if the attribute was passed to a function.
Graph* read_body(Loading& loading, const Environment& here, const Environment& meaning,
                 std::string_view message);

}  // namespace strata::onnx
