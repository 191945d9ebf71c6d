// The memory that TensorFlow Lite for Microcontrollers plans for a network: one block, the tensor
// arena, with activations at its head and structures at its tail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

struct TflmBuffer {
  std::string_view name;  // of the tensor; of a scratch buffer the node's
  std::int64_t bytes = 0;
  std::int64_t offset = 0;             // from the start of the arena
  std::int64_t first = -1, last = -1;  // steps at which it is alive; 0: before the first operator
  bool is_scratch = false;             // used inside of one operator
  bool is_fixed = false;               // its offset is in the file
};

struct TflmArena {
  std::int64_t head_bytes = 0;
  // False if a kernel may ask for scratch memory that is not known: the head is a lower bound.
  bool is_exact = true;
  // True if the network is not a TensorFlow Lite file: floats are then taken as int8.
  bool is_estimate = false;
  // The most bytes alive at once, which no plan can go below.
  std::int64_t alive_bytes = 0;
  std::string_view peak_layer;      // the operator at which they are; empty: before the first
  std::vector<TflmBuffer> at_peak;  // the largest first
  std::vector<TflmBuffer> buffers;
  // Bytes of the interpreter's structures on a chip with pointers of 32 bits, without those that
  // kernels keep. read/tflite/arena_tail.h knows all of a TensorFlow Lite file.
  std::int64_t structure_bytes = 0;
  std::int64_t operators = 0;  // and how many kinds of them
  std::int64_t kinds = 0;
  std::vector<std::string> without_kernel;  // kinds of operators that it cannot run
};

// Plans as TFLite Micro's greedy planner does: the largest tensor first, each in the first gap that
// is free while it is alive, around those that an offline plan in the file places. A failure if a
// size is open.
Result<TflmArena> plan_tflm_arena(const Model& model);

}  // namespace strata
