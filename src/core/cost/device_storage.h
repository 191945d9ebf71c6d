// The allocations of a forward pass: the tensors that have their own memory, and from when to when
// something refers to it.
#pragma once

#include <cstdint>
#include <vector>

#include "cost/call_tree.h"
#include "strata/base/result.h"
#include "strata/cost/device_memory.h"
#include "strata/cost/layers.h"

namespace strata {

// More than any device has, and small enough that sums do not overflow.
inline constexpr std::int64_t kMostDeviceBytes = std::int64_t{1} << 50;

// Memory that an operation allocates, for its tensor and all that share it.
struct Storage {
  TensorId tensor;
  std::int64_t bytes;
  std::uint32_t born;  // the step that allocates it
  Moment dies;         // unless it stays
  bool stays = false;  // an output of the network, which lives until the caller drops it
};

// In the order they are allocated. Fails with a sentence if a size is not a number.
Result<std::vector<Storage>> find_storages(const Model& model, const Costs& costs,
                                           const Layers& layers, const CallTree& calls,
                                           const DeviceMemoryOptions& options);

// Bytes of every parameter and buffer, in the order in which a framework moves a network to a
// device.
Result<std::vector<std::int64_t>> stored_sizes(const Model& model, const Costs& costs);

// The bytes of a tensor of the network's own graph as a number, in the type it is held in. Fails
// with a sentence if it is not one.
Result<std::int64_t> device_bytes(const Graph& graph, TensorId id, const Costs& costs);

}  // namespace strata
