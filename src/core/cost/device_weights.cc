#include <algorithm>

#include <fmt/format.h>

#include "cost/device_storage.h"
#include "cost/weights.h"
#include "ops/registry.h"
#include "strata/base/text_map.h"

namespace strata {

namespace {

constexpr std::int64_t kBatchCounter = 8;  // BatchNorm's num_batches_tracked, an int64

struct Stored {
  std::uint64_t key;  // as WeightRef::key; a key that was seen before is not allocated again
  std::int64_t bytes;
};

struct Own {
  std::vector<Stored> parameters, buffers;
};

Status add_node(const Executed& executed, Own& own) {
  const Node& node = executed.get();
  const OpRule* rule = find_rule(node.domain, node.op, node.opset);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const bool passed_on = rule != nullptr && rule->passes_weights && i == 0;
    if (node.inputs[i] == kNone || passed_on) continue;
    if (rule != nullptr && has_bit(rule->settings, i)) continue;
    const WeightRef weight = weight_of(*executed.graph, node.inputs[i]);
    if (weight.data == nullptr || !has_bit(executed.cost->learned, i)) continue;
    const auto size = bytes(weight.data->elements(), weight.data->dtype).number();
    if (!size)
      return failure(
          fmt::format("the weight \"{}\" is larger than can be counted", weight.data->name));
    const bool is_buffer =
        weight.data->learned == Learned::No || (rule != nullptr && has_bit(rule->buffers, i));
    (is_buffer ? own.buffers : own.parameters).push_back({weight.key, *size});
  }
  // Keys are addresses of structures, so an odd key cannot belong to a weight.
  if (rule != nullptr && rule->traits.kind == LayerKind::BatchNorm && !own.buffers.empty())
    own.buffers.push_back({own.buffers.back().key | 1, kBatchCounter});
  return {};
}

}  // namespace

Result<std::vector<std::int64_t>> stored_sizes(const Model& model, const Costs& costs) {
  std::vector<std::int64_t> sizes;
  NumberSet seen;
  const auto emit = [&](const std::vector<Stored>& list) {
    for (const Stored& stored : list)
      if (seen.insert(stored.key).second) sizes.push_back(stored.bytes);
  };
  // Without modules, every node is treated as one.
  std::vector<Own> own(model.scopes.size());
  const bool has_modules = model.scopes.size() > 1;
  for (const Executed& executed : costs.nodes) {
    Own& place = own[executed.scope];
    if (auto status = add_node(executed, place); !status) return failure(status);
    if (has_modules) continue;
    emit(place.parameters);
    emit(place.buffers);
    place = {};
  }
  // Children come before their parent, in the order of the scopes.
  std::vector<std::vector<ScopeId>> children(model.scopes.size());
  for (ScopeId scope = 1; scope < model.scopes.size(); ++scope)
    children[model.scopes[scope].parent].push_back(scope);
  std::vector<std::pair<ScopeId, std::size_t>> stack{{0, 0}};
  while (!stack.empty()) {
    auto& [scope, next] = stack.back();
    if (next < children[scope].size()) {
      const ScopeId child = children[scope][next++];
      stack.emplace_back(child, 0);
      continue;
    }
    emit(own[scope].parameters);
    emit(own[scope].buffers);
    stack.pop_back();
  }
  return sizes;
}

}  // namespace strata
