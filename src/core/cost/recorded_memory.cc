#include "strata/cost/recorded_memory.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "strata/base/text_map.h"
#include "strata/graph/recorded.h"

namespace strata {

namespace {

using Use = RecordedStorage::Use;

// Walks through a run node by node, and keeps what is in use by what it is for.
class Walk {
 public:
  explicit Walk(const RecordedRun& run) : storages_(run.storages) {
    for (std::uint32_t i = 0; i < storages_.size(); ++i) {
      const RecordedStorage& storage = storages_[i];
      if (storage.from_start)
        add(storage, 1);
      else if (storage.taken == kNone || storage.freed < storage.taken)
        continue;  // nothing is known to have made it
      else
        taken_.push_back(i);
      if (storage.freed != kNone) freed_.push_back(i);
    }
    std::stable_sort(taken_.begin(), taken_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return storages_[a].taken < storages_[b].taken;
    });
    std::stable_sort(freed_.begin(), freed_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return storages_[a].freed < storages_[b].freed;
    });
  }

  // Nodes have to come in order: while a node runs, what it makes is there beside what it reads.
  void enter(NodeId node) {
    for (; next_taken_ < taken_.size() && storages_[taken_[next_taken_]].taken <= node;
         ++next_taken_)
      add(storages_[taken_[next_taken_]], 1);
  }
  void leave(NodeId node) {
    for (; next_freed_ < freed_.size() && storages_[freed_[next_freed_]].freed <= node;
         ++next_freed_)
      add(storages_[freed_[next_freed_]], -1);
  }
  std::int64_t held(Use use) const { return held_[static_cast<std::size_t>(use)]; }
  std::int64_t held() const { return std::accumulate(held_.begin(), held_.end(), std::int64_t{0}); }

 private:
  void add(const RecordedStorage& storage, std::int64_t sign) {
    held_[static_cast<std::size_t>(storage.use)] += sign * storage.bytes;
  }

  const std::vector<RecordedStorage>& storages_;
  std::vector<std::uint32_t> taken_, freed_;
  std::size_t next_taken_ = 0, next_freed_ = 0;
  std::array<std::int64_t, 5> held_ = {};
};

PhaseMemory now_in(const Walk& walk, Phase phase) {
  return {phase,
          walk.held(Use::Weights),
          walk.held(Use::Gradients),
          walk.held(Use::OptimizerState),
          walk.held(Use::Activations),
          walk.held(Use::Other)};
}

// From the entry of the first of some nodes to the exit of the last.
void widen(std::optional<CallMemory>& call, std::int64_t entry, std::int64_t exit) {
  if (!call) call = CallMemory{entry, 0, 0};
  call->at_exit = exit;
  call->alloc = exit - call->net;
}

}  // namespace

std::string_view phase_name(Phase phase) {
  constexpr std::string_view kNames[] = {"forward", "backward", "optimizer", "backward"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::vector<PhaseMemory> phase_peaks(const Model& model) {
  std::array<std::optional<PhaseMemory>, 3> peaks;
  if (model.recorded == nullptr || !model.recorded->trains) return {};
  Walk walk(*model.recorded);
  const NodeList& nodes = model.graph().nodes;
  for (NodeId node = 0; node < nodes.size(); ++node) {
    const Phase phase =
        nodes[node].phase == Phase::Recomputed ? Phase::Backward : nodes[node].phase;
    walk.enter(node);
    std::optional<PhaseMemory>& peak = peaks[static_cast<std::size_t>(phase)];
    if (!peak || walk.held() > peak->peak()) peak = now_in(walk, phase);
    walk.leave(node);
  }
  std::vector<PhaseMemory> list;
  for (const auto& peak : peaks)
    if (peak) list.push_back(*peak);
  return list;
}

std::vector<std::pair<std::string_view, std::int64_t>> saved_by_module(const Model& model) {
  std::vector<std::pair<std::string_view, std::int64_t>> list;
  if (model.recorded == nullptr) return list;
  const RecordedRun& run = *model.recorded;
  std::vector<bool> seen(run.storages.size());
  TextMap<std::string_view, std::size_t> places;
  for (const SavedTensor& saved : run.saved) {
    const std::uint32_t number = run.storage_of[saved.tensor];
    if (run.storages[number].use == Use::Weights || seen[number]) continue;
    seen[number] = true;
    const std::string_view path = model.scopes[saved.scope].path;
    const auto [place, is_new] = places.try_emplace(path, list.size());
    if (is_new) list.emplace_back(path, 0);
    list[place->second].second += run.storages[number].bytes;
  }
  return list;
}

Result<DeviceMemory> recorded_device(const Model& model, const Costs& costs, const Layers& layers) {
  if (model.recorded == nullptr || model.recorded->storages.empty())
    return failure("it is not a recording, so that nothing is known of the memory of a run",
                   ErrorKind::Usage);
  DeviceMemory out;
  out.layers.resize(layers.list.size());
  out.scopes.resize(model.scopes.size());
  out.peak_reserved = -1;
  for (const RecordedStorage& storage : model.recorded->storages)
    if (storage.from_start)
      (storage.use == Use::Weights ? out.weights : out.inputs) += storage.bytes;
  const NodeList& nodes = model.graph().nodes;
  std::vector<std::uint32_t> layer_of(nodes.size(), kNone);
  for (std::uint32_t i = 0; i < layers.list.size(); ++i)
    for (const std::uint32_t index : layers.nodes_of(layers.list[i]))
      if (costs.nodes[index].graph == &model.graph()) layer_of[costs.nodes[index].node] = i;

  Walk walk(*model.recorded);
  const std::int64_t start = walk.held();
  out.peak_allocated = start;
  for (NodeId node = 0; node < nodes.size(); ++node) {
    const std::int64_t entry = walk.held() - start;
    walk.enter(node);
    if (walk.held() > out.peak_allocated) {
      out.peak_allocated = walk.held();
      out.peak_layer = layer_of[node];
    }
    walk.leave(node);
    const std::int64_t exit = walk.held() - start;
    if (layer_of[node] != kNone) widen(out.layers[layer_of[node]], entry, exit);
    for (ScopeId scope = nodes[node].scope; scope != kNone; scope = model.scopes[scope].parent)
      widen(out.scopes[scope], entry, exit);
  }
  out.left = walk.held() - start;
  return out;
}

}  // namespace strata
