// Records blocks of memory as a run allocates and frees them.
#pragma once

#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

// Sets a session up to allocate all activations and scratch memory, one by one, from our allocator.
// It does not see weights, nor outputs that are written into the caller's buffers.
void trace_blocks(Ort::SessionOptions& options);

// Records blocks from its construction on. There is one per process at a time; another one waits.
class BlockRecorder {
 public:
  BlockRecorder();
  ~BlockRecorder();
  BlockRecorder(const BlockRecorder&) = delete;
  BlockRecorder& operator=(const BlockRecorder&) = delete;

  std::vector<StrataBlock> take();  // ends the recording
};

}  // namespace strata::ort
