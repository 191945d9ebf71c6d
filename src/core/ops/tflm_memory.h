// Memory that the kernels of TensorFlow Lite for Microcontrollers keep in the tail of the arena
// for as long as a network is loaded.
#pragma once

#include <cstdint>
#include <string_view>

#include "strata/graph/dtype.h"

namespace strata {

// Bytes on a chip with pointers of 32 bits, and in the Python package, which has pointers of 64
// bits and is compiled with support for compressed weights.
struct TflmBytes {
  std::int64_t chip = 0, package = 0;
};

struct TflmMemory {
  std::string_view op;
  TflmBytes options;           // the operator's options, unpacked
  TflmBytes data;              // the kernel's own
  bool only_integers = false;  // a kernel of floats keeps no data
};

// A row without bytes for an operator that keeps nothing.
TflmMemory tflm_memory(std::string_view op);

}  // namespace strata
