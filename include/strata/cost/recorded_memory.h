// The memory that a recorded run took, from when its storages were taken and given back. Bytes are
// those of storages: no allocator rounds them up.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/cost/device_memory.h"

namespace strata {

// The most that a phase of a training step holds at once, and what it consists of.
struct PhaseMemory {
  Phase phase = Phase::Forward;  // what is computed again for a checkpoint is the backward pass's
  std::int64_t weights = 0;      // parameters and buffers
  std::int64_t gradients = 0;    // of parameters, as the step leaves them
  std::int64_t optimizer_state = 0;
  std::int64_t activations = 0;  // what autograd keeps for the backward pass, and the inputs
  std::int64_t other = 0;        // results in use, temporary tensors, gradients on their way

  std::int64_t peak() const { return weights + gradients + optimizer_state + activations + other; }
};
std::string_view phase_name(Phase phase);  // `forward`, `backward`, `optimizer`
// In the order of the phases; empty if the model is not a recording of a training step.
std::vector<PhaseMemory> phase_peaks(const Model& model);

// Memory that autograd keeps for the backward pass, by the path of the module that first asks for
// it, in order of the first. Weights, which are kept anyway, are not counted.
std::vector<std::pair<std::string_view, std::int64_t>> saved_by_module(const Model& model);

// Returns the memory in use at the entry and exit of every module, as simulate_device() does for
// a device. The allocator's reserve is unknown: peak_reserved is -1. Fails with a
// sentence if the model has no recorded storages (ReadOptions::memory).
Result<DeviceMemory> recorded_device(const Model& model, const Costs& costs, const Layers& layers);

}  // namespace strata
