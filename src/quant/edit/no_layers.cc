// Explains why a network has no layer to quantize.
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/in_quotes.h"
#include "edit/links.h"
#include "ops/registry.h"
#include "strata/edit/layers.h"

namespace strata {

namespace {

std::vector<const Graph*> bodies_of(const Node& node) {
  std::vector<const Graph*> bodies;
  for (const Attribute& attribute : node.attributes) {
    if (const auto* one = std::get_if<Graph*>(&attribute.value)) bodies.push_back(*one);
    if (const auto* all = std::get_if<std::span<Graph* const>>(&attribute.value))
      bodies.insert(bodies.end(), all->begin(), all->end());
  }
  return bodies;
}

// The tensor may also be one of a graph around the body. `graphs`: the network first, the body
// last.
bool is_stored_f32(std::vector<const Graph*> graphs, TensorId id) {
  while (id != kNone && graphs.back()->tensors[id].role == Role::Captured) {
    id = graphs.back()->tensors[id].outer;
    graphs.pop_back();
    if (graphs.empty()) return false;
  }
  if (id == kNone) return false;
  const auto stored = stored_input(*graphs.back(), id);
  return stored && stored->data->dtype == DType::F32;
}

std::size_t layers_below(const Node& node, std::vector<const Graph*> around) {
  std::size_t count = 0;
  for (const Graph* body : bodies_of(node)) {
    around.push_back(body);
    for (const Node& inner : body->nodes) {
      const bool is_main =
          inner.domain.empty() && traits_of(inner).int8_output != Int8Output::Unknown;
      if (is_main && inner.inputs.size() >= 2 && is_stored_f32(around, inner.inputs[1])) ++count;
      count += layers_below(inner, around);
    }
    around.pop_back();
  }
  return count;
}

}  // namespace

std::string why_no_layers(const Model& model) {
  constexpr std::size_t kShown = 3;
  const Graph& graph = model.graph();
  std::size_t layers = 0, nodes = 0;
  std::vector<std::string> shown;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph.nodes[id];
    const std::size_t own = layers_below(node, {&graph});
    if (own == 0) continue;
    layers += own;
    if (++nodes <= kShown)
      shown.push_back(node.name.empty() ? fmt::format("{} node number {}", node.op, id)
                                        : fmt::format("{} node {}", node.op, in_quotes(node.name)));
  }
  if (layers == 0)
    return "there is no layer to quantize: no convolution or product with stored weights of f32";
  return fmt::format(
      "there is no layer to quantize outside of bodies, which stay as they are: {} in the bodies "
      "of "
      "{}{}; export the model without {}, or quantize the branch that runs as a model of its own",
      layers == 1 ? std::string("the only layer lies") : fmt::format("all {} layers lie", layers),
      fmt::join(shown, ", "), nodes > kShown ? fmt::format(" and {} more", nodes - kShown) : "",
      nodes == 1 ? "this node" : "these nodes");
}

}  // namespace strata
