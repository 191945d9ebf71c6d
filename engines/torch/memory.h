// Blocks of memory that libtorch takes and gives back while a model runs.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <vector>

#include "strata/engine/plugin.h"

namespace strata::libtorch {

// Writes down the blocks of this thread while it lives.
class BlockRecorder {
 public:
  explicit BlockRecorder(std::vector<StrataBlock>& blocks);

 private:
  c10::DebugInfoGuard guard_;
};

}  // namespace strata::libtorch
