// The memory of a recorded run: when each storage was taken and given back, and its purpose.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "strata/graph/graph.h"

namespace strata {

// Memory that one or several tensors of a run look at.
struct RecordedStorage {
  // The first that fits, from the last to the first.
  enum class Use : std::uint8_t { Other, Activations, OptimizerState, Gradients, Weights };

  std::int64_t bytes = 0;
  Use use = Use::Other;
  bool from_start = false;  // it was there before the run: a weight, an input
  NodeId taken = kNone;     // the node that made its first tensor; kNone: none did
  NodeId freed = kNone;     // the node after which it was given back; kNone: it stays
};

// A tensor that autograd keeps for the backward pass, and the module call that asked for it.
struct SavedTensor {
  TensorId tensor = kNone;
  ScopeId scope = 0;
};

// Empty but for `trains` if memory was not asked for (ReadOptions::memory).
struct RecordedRun {
  bool trains = false;  // it is a step of training
  // The run takes memory that the recording does not have, so that peaks are lower bounds.
  bool peaks_at_least = false;
  std::vector<RecordedStorage> storages = {};
  std::vector<std::uint32_t> storage_of = {};  // by TensorId; kNone: not stated
  std::vector<SavedTensor> saved = {};
  // Tensors that are in more memory than their elements take, and its bytes; by tensor, and
  // stated always.
  std::vector<std::pair<TensorId, std::int64_t>> larger = {};
};

}  // namespace strata
