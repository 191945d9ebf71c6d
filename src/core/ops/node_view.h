// The questions that a rule may ask about its node.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "ops/traits.h"
#include "strata/graph/graph.h"

namespace strata {

class NodeView {
 public:
  NodeView(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Graph& graph() const { return graph_; }
  const Node& node() const { return node_; }
  int opset() const { return node_.opset; }

  std::size_t input_count() const { return node_.inputs.size(); }
  std::size_t output_count() const { return node_.outputs.size(); }
  bool has(std::size_t i) const { return i < node_.inputs.size() && node_.inputs[i] != kNone; }
  bool has_output(std::size_t i) const {
    return i < node_.outputs.size() && node_.outputs[i] != kNone;
  }

  // Types of inputs and outputs; an absent one is unranked and undefined.
  const TypeInfo& in(std::size_t i) const { return type_of(node_.inputs, i); }
  const TypeInfo& out(std::size_t i) const { return type_of(node_.outputs, i); }
  bool ranked(std::size_t i) const { return in(i).ranked; }
  const Dims& dims(std::size_t i) const { return in(i).dims; }
  std::size_t rank(std::size_t i) const { return in(i).dims.size(); }
  DType dtype(std::size_t i) const { return in(i).dtype; }
  // Elements of an input or output; unknown if unranked.
  Expr in_elements(std::size_t i) const;
  Expr out_elements(std::size_t i) const;

  // Attributes, with the default from the operator's definition. A value of another type counts as
  // absent.
  bool has_attribute(std::string_view name) const { return node_.attribute(name) != nullptr; }
  std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  double real(std::string_view name, double otherwise) const;
  std::string_view text(std::string_view name, std::string_view otherwise) const;
  // Empty if absent.
  std::span<const std::int64_t> integers(std::string_view name) const;
  std::span<const float> reals(std::string_view name) const;
  std::span<const std::string_view> texts(std::string_view name) const;
  const TensorData* tensor(std::string_view name) const;
  Graph* body(std::string_view name) const;

  // Attributes by meaning, with names and defaults from the operator's row. nullopt or empty: the
  // operator has no such attribute.
  std::optional<std::int64_t> integer(Attr attr) const;
  std::optional<double> real(Attr attr) const;
  std::string_view text(Attr attr) const;
  std::span<const std::int64_t> integers(Attr attr) const;

 protected:
  const TypeInfo& type_of(std::span<const TensorId> ids, std::size_t i) const {
    return i >= ids.size() || ids[i] == kNone ? kAbsent : *graph_.tensors[ids[i]].type;
  }

  static const TypeInfo kAbsent;

  const Graph& graph_;
  const Node node_;
};

}  // namespace strata
