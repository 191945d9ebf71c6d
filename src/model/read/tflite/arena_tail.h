// The tail of TFLite Micro's tensor arena: the structures that its interpreter makes of a file, and
// what its reference kernels keep, in the order in which it places them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ops/tflm_memory.h"
#include "strata/base/result.h"

namespace strata::tflite {

struct ArenaTail {
  // On a chip; and as the Python package prints it, whose allocator also records what it allocates.
  TflmBytes bytes;
  // Operators whose kernels may keep more, which is not known. The bytes are then at least these.
  std::vector<std::string> unknown;
};

// The network's kernels ask for this many scratch buffers: each has a handle in the tail.
Result<ArenaTail> tail_of_arena(std::string_view file, std::int64_t scratch_buffers);

}  // namespace strata::tflite
