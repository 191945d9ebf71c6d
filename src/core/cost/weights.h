// Finds the stored tensors that are parameters.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "strata/cost/cost.h"

namespace strata {

struct OpRule;

// Bit `slot` of OpRule::settings or OpRule::buffers.
inline bool has_bit(std::uint32_t bits, std::size_t slot) {
  return slot < 32 && ((bits >> slot) & 1) != 0;
}

// One entry per tensor of a graph: 1 if it depends on stored values alone. Not bits, which are slow
// to look at.
using Constants = std::vector<std::uint8_t>;

// True if a node depends on stored values alone, so that its result is known when the model is
// loaded. `constants` covers everything before the node; `rule` is the node's row, or null.
bool is_constant(const Graph& graph, const Constants& constants, const Node& node,
                 const OpRule* rule);

// Which stored tensors that nodes read are parameters. A file that says so is believed; else:
//  - An initializer is a parameter if it could be learned: floats, and the narrow integers and
//    int32 biases of quantized layers.
//  - The output of a Constant node is a parameter only where a weight belongs: an operand of a
//    product or a norm, a bias added after a product, the scale and shift of a norm written as
//    several nodes, or the start of work on constants (Slice, Concat, …) that ends in such a place.
//    Scalars are not parameters, and neither are tensors of only zeros or ones, which exporters
//    write for a norm that has no weights.
//  - If a product is computed from constants alone, its first operand is data, such as a table of
//    coordinates.
class ParameterRule {
 public:
  explicit ParameterRule(const Model& model);
  // `weight` is the stored tensor behind input `slot` of the node, `rule` the node's row or null.
  bool is_parameter(const Graph& graph, const Node& node, const OpRule* rule, std::size_t slot,
                    const WeightRef& weight, const NodeCost& cost) const;

 private:
  // For each graph and tensor: true if it goes to where a weight belongs. Empty: no Constant node
  // could be a parameter.
  std::unordered_map<const Graph*, std::vector<bool>> goes_to_weight_;
};

// weight_of, where the rows of the graph's first nodes have been looked up already.
WeightRef weight_of(const Graph& graph, TensorId tensor, std::span<const OpRule* const> rows);

// Tensors of a graph that are stored in it or around it, before any node has run.
Constants stored_tensors(const Graph& graph, const Constants* outer);

}  // namespace strata
