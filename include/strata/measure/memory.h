// The memory that an engine takes while a model runs, kernel by kernel. Weights are
// apart: engines take them when a model is opened.
#pragma once

#include <string>
#include <vector>

#include "strata/measure/timing.h"

namespace strata {

// Bytes, of one run.
struct KernelMemory {
  Kernel kernel;
  std::int64_t allocated = 0;  // blocks taken while it ran
  std::int64_t scratch = 0;    // the part of them given back before it ended
  std::int64_t held = 0;       // in use when it ended
  std::int64_t peak = 0;       // most in use while it ran
};

struct MemoryTrace {
  std::vector<KernelMemory> kernels;  // in running order
  std::int64_t peak = 0;
  std::size_t peak_kernel = 0;     // in which it was reached; kernels.size(): in none
  std::int64_t left = 0;           // in use after the run: what the engine keeps for the next
  std::int64_t weight_bytes = -1;  // -1: the engine does not tell
};

// Who had how much, from a run's blocks and kernels. What was in use before the run is
// not part of it.
MemoryTrace attribute_blocks(const Trace& trace);

// The second run of a session that records both: the first takes what later runs reuse.
// Setting `stop` makes it fail.
Result<MemoryTrace> trace_memory(const Engine& engine, const ModelSource& model,
                                 const std::vector<HostTensor>& inputs,
                                 const SessionOptions& options,
                                 const std::atomic<bool>* stop = nullptr);

// Free memory that the C library keeps for later goes back to the system. After a model it
// may be as large as the model, and large blocks of the next are taken out of it again
// instead of being mapped. For whoever frees the last of a model.
void give_back_free_memory();

}  // namespace strata
