// Blocks of memory as a run takes them and gives them back.
#pragma once

#include <vector>

#include "api.h"
#include "strata/engine/plugin.h"

namespace strata::ort {

// Sets a session up to take all activations and scratch memory, one by one, from an
// allocator of ours. Not seen: weights, and outputs that are put into another's buffer.
void trace_blocks(Ort::SessionOptions& options);

// Records blocks from its construction on. One in the process at a time: another waits.
class BlockRecorder {
 public:
  BlockRecorder();
  ~BlockRecorder();
  BlockRecorder(const BlockRecorder&) = delete;
  BlockRecorder& operator=(const BlockRecorder&) = delete;

  std::vector<StrataBlock> take();  // ends the recording
};

}  // namespace strata::ort
