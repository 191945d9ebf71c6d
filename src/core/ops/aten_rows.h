// Shared parts of the rows of PyTorch's operators. They have no shape rules: exported programs
// state the shape of every tensor. Tensors are inputs in the order of the operator's arguments;
// everything else is an attribute under the argument's name, also if the file leaves it out
// (ops/aten_schema.h).
#pragma once

#include "ops/common.h"
#include "ops/rule.h"

namespace strata {

// A row of its own.
constexpr OpRule aten(std::string_view name, CostRule cost, std::span<const Example> examples,
                      const Traits& traits = {}) {
  OpRule rule;
  rule.name = name;
  rule.domain = kAten;
  rule.cost = cost;
  rule.examples = examples;
  rule.traits = traits;
  return rule;
}
// An operator of ONNX's own by another name.
constexpr OpRule aten_like(std::string_view name, std::string_view onnx,
                           std::span<const Example> examples, const Traits& traits = {}) {
  OpRule rule = aten(name, nullptr, examples, traits);
  rule.like = onnx;
  return rule;
}
// Like above, with a cost rule of its own, because its inputs have other places or its settings
// other names.
constexpr OpRule aten_as(std::string_view name, std::string_view onnx, CostRule cost,
                         std::span<const Example> examples, const Traits& traits = {}) {
  OpRule rule = aten_like(name, onnx, examples, traits);
  rule.cost = cost;
  return rule;
}

// Costs what this operator of ONNX's own costs with the same inputs and outputs.
void cost_as(CostContext& c, std::string_view onnx);

// An attribute that is a number, as an int or a float.
double number_of(const NodeView& c, std::string_view name, double otherwise);
bool has_number(const NodeView& c, std::string_view name);
// An axis that an attribute states, from the start; nullopt if the input has no such axis.
std::optional<std::size_t> axis_of(const NodeView& c, std::string_view name);
// The elements of input 0 over the size along an axis; unknown if there is no such axis.
Expr lines_along(const NodeView& c, std::string_view axis_name);
// The sizes of a window along `axes` axes: one number stands for all of them.
Expr window_volume(const NodeView& c, std::string_view name, std::size_t axes);

}  // namespace strata
