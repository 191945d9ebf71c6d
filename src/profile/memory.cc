#include "profile/memory.h"

#include <fmt/format.h>

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

void add_device(Profile& profile, const Analysis& a) {
  if (!a.device) return;
  const DeviceMemory& device = *a.device;
  DeviceFacts& facts = profile.device.emplace();
  facts.model = kPytorchCuda;
  facts.weights = device.weights;
  facts.inputs = device.inputs;
  facts.peak_allocated = device.peak_allocated;
  facts.peak_reserved = device.peak_reserved;
  if (device.peak_layer != kNone)
    facts.peak_layer = layer_path(a.model, a.costs, a.layers.list[device.peak_layer]);
  profile.notes.insert(profile.notes.end(), device.notes.begin(), device.notes.end());
}

}  // namespace

Status find_device_memory(Analysis& a, std::string_view device_memory) {
  if (device_memory.empty()) return {};
  if (device_memory == kPytorchCuda) {
    auto device = simulate_device(a.model, a.costs, a.layers);
    if (!device) return tl::unexpected(device.error());
    a.device = std::move(*device);
    return {};
  }
  if (device_memory != kArena)
    return failure(fmt::format("there is no device memory \"{}\"; there are: {}, {}", device_memory,
                               kPytorchCuda, kArena),
                   ErrorKind::Usage);
  const Liveness liveness = find_liveness(a.model, a.costs);
  a.alive.resize(a.costs.nodes.size());
  for (std::size_t i = 0; i < a.costs.nodes.size(); ++i)
    if (a.costs.nodes[i].graph == &a.model.graph())
      a.alive[i] = liveness.alive[a.costs.nodes[i].node].number();
  return {};
}

Status add_memory(Profile& profile, const Analysis& a, const ProfileOptions& options) {
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
  add_device(profile, a);
  if (!options.arena && options.device_memory != kArena) return {};
  auto plan = plan_arena(a.model, liveness, kAlignment);
  if (!plan) return tl::unexpected(plan.error());
  ArenaLayout& arena = profile.arena.emplace();
  arena.bytes = plan->bytes;
  arena.bound = plan->bound;
  arena.alignment = kAlignment;
  arena.listed = options.arena;
  for (const ArenaPlan::Block& block : plan->blocks) {
    const bool is_input = tensors[block.tensor].producer == kNone;
    arena.blocks.push_back({std::string(tensors[block.tensor].name),
                            is_input ? std::string() : layer_at(block.first), layer_at(block.last),
                            block.offset, block.bytes});
  }
  return {};
}

}  // namespace strata
