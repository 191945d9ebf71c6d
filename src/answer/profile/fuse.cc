#include <unordered_map>

#include "cost/layer_kind.h"
#include "profile/gather.h"

namespace strata {

namespace {

enum class Part { None, Compute, Norm, Activation };

Part part_of(LayerKind kind) {
  if (kind == LayerKind::Conv || kind == LayerKind::ConvTranspose || kind == LayerKind::Linear)
    return Part::Compute;
  if (is_norm(kind)) return Part::Norm;
  return is_activation(kind) ? Part::Activation : Part::None;
}

constexpr std::uint32_t kMany = kNone - 1;

}  // namespace

std::vector<std::vector<std::uint32_t>> fused_groups(const Analysis& a) {
  const auto count = static_cast<std::uint32_t>(a.layers.list.size());
  const Graph& graph = a.model->graph();
  // For each tensor of the network's own graph, the one layer that reads it.
  std::vector<std::uint32_t> reader(graph.tensors.size(), kNone);
  for (TensorId id : graph.outputs)
    if (id != kNone) reader[id] = kMany;
  const auto in_network = [&](std::uint32_t layer) {
    return a.costs.nodes[a.layers.list[layer].main].graph == &graph;
  };
  for (std::uint32_t i = 0; i < count; ++i)
    if (in_network(i))
      for (TensorId id : a.edges.inputs(i)) reader[id] = reader[id] == kNone ? i : kMany;
  for (const Graph& body : a.model->graphs)
    for (const Tensor& tensor : body.tensors)
      if (body.parent == &graph && tensor.outer != kNone) reader[tensor.outer] = kMany;

  const auto follower = [&](std::uint32_t layer) -> std::uint32_t {
    const auto outputs = a.edges.outputs(layer);
    if (outputs.size() != 1 || reader[outputs[0]] >= kMany) return kNone;
    const std::uint32_t next = reader[outputs[0]];
    return a.edges.inputs(next).size() == 1 ? next : kNone;
  };

  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<bool> taken(count, false);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (taken[i]) continue;
    std::vector<std::uint32_t> group{i};
    Part last = in_network(i) ? part_of(a.layers.list[i].kind) : Part::None;
    if (last == Part::Compute) {
      for (std::uint32_t next = follower(i); next != kNone && !taken[next]; next = follower(next)) {
        const Part part = part_of(a.layers.list[next].kind);
        if (part <= last || !in_network(next)) break;
        group.push_back(next);
        taken[next] = true;
        last = part;
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace strata
