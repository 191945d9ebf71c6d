// The view that a shape rule has of its node: the types and known elements of the inputs and,
// through set(), those of the outputs.
#pragma once

#include <string>
#include <vector>

#include "ops/node_view.h"
#include "strata/base/result.h"

namespace strata {

// A rule's access to the inference it runs in; infer/ implements it.
class InferenceHost {
 public:
  virtual ~InferenceHost() = default;
  virtual Model& model() = 0;
  // A symbol for a size that depends on data: `hint`, or `hint_2`, … if that is taken. A rule that
  // asks in the same order gets the same symbols in each call, so a body that is inferred twice has
  // the same types both times. `at_most` is the largest size that data can make it, if that is
  // known.
  virtual Expr fresh_symbol(const Node& node, std::string_view hint, const Expr& at_most) = 0;
  // Infers a body whose inputs have these types and (if not null) elements. May be called again
  // with other types; the last call counts.
  virtual Status infer_body(Graph& body, std::span<const TypeInfo> inputs,
                            std::span<const Value* const> values) = 0;
};

class ShapeContext : public NodeView {
 public:
  ShapeContext(InferenceHost& host, Graph& graph, const Node& node)
      : NodeView(graph, node), host_(host), mutable_graph_(graph) {}

  // The elements of an input, if they are known and not strings; decodes a small initializer on
  // first use.
  const Value* value(std::size_t i);
  // The elements of a string input whose elements are given.
  std::span<const std::string> texts_of(std::size_t i) const;
  // True if value(i) would return elements; decodes nothing.
  bool has_value(std::size_t i) const;
  // The elements as integers or formulas; nullopt if they are unknown.
  std::optional<Dims> integers_of(std::size_t i);
  // The single element of an input; nullopt if it is unknown or there is not exactly one.
  std::optional<Expr> scalar_of(std::size_t i);

  // Outputs. Setting one that is not used does nothing.
  void set(std::size_t i, DType dtype, Dims&& dims);
  void set(std::size_t i, DType dtype, const Dims& dims);
  void set(std::size_t i, TypeInfo type);
  // The type of an input, which both then share.
  void share_type(std::size_t i, std::size_t input);
  void set_unranked(std::size_t i, DType dtype);
  // Also sets type and shape from the value.
  void set_value(std::size_t i, Value&& value);
  // Like above, for a value that the model keeps already: the elements of an input.
  void share_value(std::size_t i, const Value* value);

  Expr fresh(std::string_view hint, const Expr& at_most = Expr::unknown()) {
    return host_.fresh_symbol(node_, hint, at_most);
  }
  InferenceHost& host() { return host_; }

  // An axis attribute or element in [-rank, rank), made non-negative; an error otherwise.
  Result<std::size_t> axis(std::int64_t axis, std::size_t rank) const;
  // ONNX's multidirectional broadcast of two shapes; an error if numbers clash. Two different
  // formulas give their maximum: one of them must be 1, or they are equal.
  Result<Dims> broadcast(const Dims& a, const Dims& b) const;

  // An error that names the node: `Conv "/stem/conv": <what>`.
  tl::unexpected<Error> error(std::string_view what) const;

 private:
  // The type of an output, which is now that of a tensor with a rank; null if it is not used.
  TypeInfo* tensor_type(std::size_t i, DType dtype);

  InferenceHost& host_;
  Graph& mutable_graph_;
};

// `Conv "/stem/conv"`, or `Conv (no name, output "x")`.
std::string describe(const Graph& graph, const Node& node);

}  // namespace strata
