#include "profile/memory.h"

#include "strata/cost/liveness.h"

namespace strata {

namespace {

constexpr std::int64_t kAlignment = 64;  // bytes; a cache line, and what SIMD loads want

// For each node of the network's own graph, the layer it belongs to.
std::vector<std::uint32_t> layers_of_nodes(const Analysis& a) {
  std::vector<std::uint32_t> layer_of(a.model.graph().nodes.size(), kNone);
  for (std::uint32_t i = 0; i < a.layers.list.size(); ++i)
    for (std::uint32_t index : a.layers.nodes_of(a.layers.list[i]))
      if (a.costs.nodes[index].graph == &a.model.graph()) layer_of[a.costs.nodes[index].node] = i;
  return layer_of;
}

}  // namespace

Status add_memory(Profile& profile, const Analysis& a, bool with_arena) {
  const Liveness liveness = find_liveness(a.model, a.costs);
  const std::vector<std::uint32_t> layer_of = layers_of_nodes(a);
  const auto layer_at = [&](NodeId node) {
    if (node >= layer_of.size() || layer_of[node] == kNone) return std::string();
    return layer_path(a.model, a.costs, a.layers.list[layer_of[node]]);
  };
  Profile::Memory& memory = profile.memory;
  memory.peak_bytes = liveness.peak_bytes;
  memory.certainty = liveness.certainty;
  memory.peak_layer = layer_at(liveness.peak_node);
  const auto& tensors = a.model.graph().tensors;
  for (std::uint32_t index : liveness.at_peak) {
    const Lifetime& life = liveness.lifetimes[index];
    const NodeId maker = tensors[life.tensor].producer;
    std::string made_by = maker == kNone ? std::string() : layer_at(maker);
    memory.at_peak.push_back(
        {std::string(tensors[life.tensor].name), std::move(made_by), life.bytes});
  }
  if (!with_arena) return {};
  auto plan = plan_arena(a.model, liveness, kAlignment);
  if (!plan) return tl::unexpected(plan.error());
  ArenaLayout& arena = profile.arena.emplace();
  arena.bytes = plan->bytes;
  arena.bound = plan->bound;
  arena.alignment = kAlignment;
  for (const ArenaPlan::Block& block : plan->blocks) {
    const bool is_input = tensors[block.tensor].producer == kNone;
    arena.blocks.push_back({std::string(tensors[block.tensor].name),
                            is_input ? std::string() : layer_at(block.first), layer_at(block.last),
                            block.offset, block.bytes});
  }
  return {};
}

}  // namespace strata
