// The memory that an engine takes while a model runs, kernel by kernel. Weights are counted
// separately: engines load them when a model is opened.
#pragma once

#include <string>
#include <vector>

#include "strata/measure/timing.h"

namespace strata {

// Bytes in one run.
struct KernelMemory {
  Kernel kernel;
  std::int64_t allocated = 0;  // blocks taken while it ran
  std::int64_t scratch = 0;    // the part that was given back before it ended
  std::int64_t held = 0;       // in use when it ended
  std::int64_t peak = 0;       // most in use while it ran
};

struct MemoryTrace {
  std::vector<KernelMemory> kernels;  // in running order
  std::int64_t peak = 0;
  std::size_t peak_kernel = 0;     // the kernel that reached it; kernels.size(): none
  std::int64_t left = 0;           // still in use after the run: kept by the engine for the next
  std::int64_t weight_bytes = -1;  // -1: the engine does not tell
};

// Attributes a run's blocks to its kernels. Memory that was in use before the run is not included.
MemoryTrace attribute_blocks(const Trace& trace);

// Traces the second run of a session that records both, because the first run takes memory that
// later runs reuse. Setting `stop` makes it fail.
Result<MemoryTrace> trace_memory(const Engine& engine, const ModelSource& model,
                                 const std::vector<HostTensor>& inputs,
                                 const SessionOptions& options,
                                 const std::atomic<bool>* stop = nullptr);

// Returns free memory that the C library keeps for later to the system. After a model, this may be
// as large as the model, and large blocks of the next model would be cut from it instead of being
// mapped. Call it after freeing the last of a model.
void give_back_free_memory();

}  // namespace strata
