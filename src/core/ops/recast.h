// Rows of dialects whose operators are mostly ONNX's own with other names and with settings in
// other places: such a row runs the rules of that operator (ops/part.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

#include "ops/common.h"
#include "ops/part.h"
#include "ops/rule.h"

namespace strata {

// An operator of ONNX's own with the inputs and attributes of a node of another dialect.
struct Recast {
  std::string_view op;
  std::vector<Tensor> inputs = {};
  std::vector<Attribute> attributes = {};
  int opset = kPartOpset;
  // Input 0 and the outputs are images with their channels last.
  bool is_image = false;
  std::deque<std::vector<std::int64_t>> lists = {};  // what attributes refer to

  Part part(std::size_t outputs) const { return {op, inputs, attributes, opset, outputs}; }
};
// All inputs and attributes as they are.
Recast unchanged(const NodeView& c, std::string_view op, int opset = kPartOpset);

Status shape_as(ShapeContext& c, const Recast& other);
// States the work of the other operator, and of the activation that is fused into this one.
void cost_as(CostContext& c, const Recast& other);

// The work of `activation`, a function that is fused into an operator.
void fused_activation(CostContext& c);
// A reinterpreted output: rules of ONNX give it the type of input 0.
DType stated_dtype(const NodeView& c, DType otherwise);

// Text as an argument of a template.
template <std::size_t N>
struct Word {
  constexpr Word(const char (&word)[N]) { std::copy_n(word, N, text); }  // NOLINT: as a text
  constexpr std::string_view view() const { return {text, N - 1}; }
  char text[N] = {};
};

template <Word onnx, int opset = kPartOpset>
Status shape_of_same(ShapeContext& c) {
  return shape_as(c, unchanged(c, onnx.view(), opset));
}
template <Word onnx, int opset = kPartOpset>
void cost_of_same(CostContext& c) {
  cost_as(c, unchanged(c, onnx.view(), opset));
}
template <Recast (*other)(const NodeView&)>
Status shape_of(ShapeContext& c) {
  return shape_as(c, other(c));
}
template <Recast (*other)(const NodeView&)>
void cost_of(CostContext& c) {
  cost_as(c, other(c));
}

// A row of a dialect. `like` is an operator of ONNX's own that it is; it may be empty.
constexpr OpRule row_of(std::string_view domain, std::string_view name, std::string_view like,
                        ShapeRule shape, CostRule cost, std::span<const Example> examples,
                        const Traits& traits = {}) {
  OpRule rule;
  rule.name = name;
  rule.domain = domain;
  rule.like = like;
  rule.shape = shape;
  rule.cost = cost;
  rule.examples = examples;
  rule.traits = traits;
  return rule;
}
constexpr OpRule with_settings(OpRule rule, std::uint32_t settings) {
  rule.settings = settings;
  return rule;
}

}  // namespace strata
