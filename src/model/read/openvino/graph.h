// A net of layers as a graph.
#pragma once

#include <optional>
#include <vector>

#include "read/openvino/loading.h"
#include "strata/base/text_map.h"

namespace strata::openvino {

class GraphReader {
 public:
  GraphReader(Loading& loading, Graph& graph, const Net& net)
      : loading_(loading), graph_(graph), net_(net) {}

  // A Parameter of a body that is an outer tensor is among `captured`, by its layer.
  struct Captured {
    std::int64_t layer = -1;
    TensorId outer = kNone;
  };
  void read(std::span<const Captured> captured = {});
  // The tensor that a Result, or another layer, of this number has.
  TensorId tensor_of_layer(std::int64_t id) const;

 private:
  struct Source {
    std::size_t layer = 0, port = 0;  // places in the lists
    bool is_there = false;
  };

  void connect();
  ScopeId place_of(std::string_view name);
  std::vector<std::size_t> order() const;
  void read_layer(std::size_t place);
  void read_node(std::size_t place, const Layer& layer, std::vector<TensorId> inputs);
  void read_parameter(std::size_t place, const Layer& layer);
  void make_outputs(std::size_t place, const Layer& layer, std::vector<TensorId>& outputs);
  TypeInfo type_of(const Port& port, bool is_input);
  TensorId new_tensor(std::string_view name, TypeInfo type, Role role);
  TensorId stored_tensor(const TensorData* data);
  // Copies a stored tensor with other sizes.
  TensorId with_sizes(TensorId stored, std::span<const std::int64_t> dims);
  // The stored tensor behind an operator that only unpacks it; kNone if that is not what it does.
  TensorId unpacked(const Layer& layer, std::span<const TensorId> inputs);
  bool fold_bias(std::size_t place, const Layer& layer, std::span<const TensorId> inputs);
  void join_groups(const Layer& layer, std::vector<TensorId>& inputs);
  void read_bodies(const Layer& layer, std::vector<TensorId>& inputs,
                   std::vector<Attribute>& attributes);
  Expr runs_of(const Layer& layer, const Body& body, std::span<const TensorId> inputs) const;
  std::size_t port_place(const Layer& layer, std::int64_t id) const;

  Loading& loading_;
  Graph& graph_;
  const Net& net_;
  NumberMap<std::size_t> places_;             // of layers, by number
  std::vector<std::vector<Source>> sources_;  // by layer, of its inputs
  std::vector<std::vector<int>> readers_;     // by layer, of its outputs
  std::vector<std::vector<TensorId>> made_;   // by layer, its outputs
  std::vector<bool> is_unpacked_;             // by tensor: integers that stand for floats
  std::span<const Captured> captured_;
};

}  // namespace strata::openvino
