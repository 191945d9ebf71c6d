// Operators composed of standard ones: a FusedConv is a Conv and a Relu. Its rules run the rules of
// its parts, so that shapes and counts always agree.
#pragma once

#include <vector>

#include "ops/rule.h"

namespace strata {

// The version of ONNX's own operators that a part is written in by default.
inline constexpr int kPartOpset = 17;

// One use of an operator from ONNX's own domain. Its rule sees the whole's name in `node().op`, so
// that errors name what is in the file; the rule therefore cannot use that name to tell which
// operator it is.
struct Part {
  std::string_view op;
  std::vector<Tensor> inputs;  // one without rank and type is left out
  std::span<const Attribute> attributes = {};
  int opset = kPartOpset;
  std::size_t outputs = 1;
};

// An input of a node, with its elements if they are known; left out if the node does not have it.
Tensor input_of(const NodeView& node, std::size_t i);
Tensor tensor_of(TypeInfo type);
Tensor tensor_of(DType dtype, Dims dims);

// Returns the part's results: types, and elements if they are known.
Result<std::vector<Tensor>> outputs_of(ShapeContext& c, const Part& part);
// The type of its first output.
Result<TypeInfo> type_of(ShapeContext& c, const Part& part);
// Sets output i of the node to this tensor.
void set_output(ShapeContext& c, std::size_t i, const Tensor& tensor);

// States the work of the part. `outputs` are its output types.
void add_work(CostContext& c, const Part& part, std::span<const TypeInfo> outputs);
// Adds an elementwise operator on one tensor.
void add_elementwise(CostContext& c, std::string_view op, const Expr& count, int opset = kPartOpset,
                     std::span<const Attribute> attributes = {});
// States the work of a fused activation, by the name that an attribute gives: `Relu`, `Clip`,
// `silu`. Empty, `none` and `identity` mean no work.
void add_activation(CostContext& c, std::string_view name, const Expr& count);

// The element of an input that was known when shapes were inferred.
std::optional<Expr> known_scalar(const NodeView& node, std::size_t i);

// a / b if b divides a, otherwise rounded down; unknown if b is not a positive number.
Expr share_of(const Expr& a, const Expr& b);

// Converts between N×C×spatial and N×spatial×C. A type with fewer than three axes is unchanged.
TypeInfo channels_first(TypeInfo type);
TypeInfo channels_last(TypeInfo type);

}  // namespace strata
