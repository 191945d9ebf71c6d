#include "read/recording/memory.h"

#include <fmt/format.h>

namespace strata::recording {

using torch::Broken;
using Use = RecordedStorage::Use;

RecordedStorage& MemoryReader::storage(std::int64_t number) {
  if (number < 0 || static_cast<std::uint64_t>(number) >= run_->storages.size())
    throw Broken{fmt::format("there is no storage {}; it has {}", number, run_->storages.size())};
  return run_->storages[static_cast<std::size_t>(number)];
}

RecordedStorage* MemoryReader::storage_of(TensorId tensor) {
  if (tensor == kNone) return nullptr;
  const std::int64_t number = loading_.places[tensor].storage;
  return number < 0 ? nullptr : &storage(number);
}

void MemoryReader::read_storages(JsonText& json) {
  for (JsonArray item(json); item.next();) {
    RecordedStorage& storage = run_->storages.emplace_back();
    if (json.peek() == '[') {  // with its device
      Row row(json);
      if (row.next()) storage.bytes = json.integer();
      row.skip_rest();
    } else {
      storage.bytes = json.integer();
    }
    if (storage.bytes < 0) json.wrong("a storage has fewer than no bytes");
  }
  // Taken by the first node that makes a tensor of it.
  const NodeList& nodes = loading_.model.graph().nodes;
  for (NodeId node = 0; node < nodes.size(); ++node)
    for (const TensorId output : nodes[node].outputs) {
      if (output == kNone || output >= loading_.places.size()) continue;  // a leaf's own
      RecordedStorage* taken = storage_of(output);
      if (taken != nullptr && taken->taken == kNone) taken->taken = node;
    }
}

void MemoryReader::read_frees(JsonText& json) {
  for (JsonArray item(json); item.next();) {
    Row row(json);
    std::int64_t number = -1, after = -1;
    if (row.next()) number = json.integer();
    if (row.next()) after = json.integer();
    row.skip_rest();
    if (after >= 0) storage(number).freed = calls_.node_of(after);
  }
}

void MemoryReader::use(Use use, const std::vector<TensorId>& tensors) {
  for (const TensorId id : tensors)
    if (RecordedStorage* storage = storage_of(id)) {
      storage->use = use;
      storage->from_start = true;
    }
}

void MemoryReader::read_saved(JsonText& json) {
  for (JsonArray item(json); item.next();) {
    Row row(json);
    SavedTensor saved;
    if (row.next()) saved.tensor = take_tensor(loading_, json);
    if (row.next()) saved.scope = loading_.scope(json.integer());
    row.skip_rest();
    RecordedStorage* storage = storage_of(saved.tensor);
    if (storage == nullptr) continue;
    storage->use = Use::Activations;
    run_->saved.push_back(saved);
  }
}

void MemoryReader::read_uses(JsonText& json, Use use) {
  for (JsonArray item(json); item.next();) storage(json.integer()).use = use;
}

void MemoryReader::read_optimizer(JsonText& json) {
  for (JsonObject member(json); member.next();)
    if (member.key() == "state")
      read_uses(json, Use::OptimizerState);
    else
      json.skip();
}

void MemoryReader::read_gradients(JsonText& json) { read_uses(json, Use::Gradients); }

void MemoryReader::finish() {
  for (const Loading::Place& place : loading_.places)
    run_->storage_of.push_back(place.storage < 0 ? kNone
                                                 : static_cast<std::uint32_t>(place.storage));
}

}  // namespace strata::recording
