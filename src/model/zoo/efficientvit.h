#pragma once

#include "zoo/block_names.h"

namespace strata::zoo {

// The authors' numbers for the layers of EfficientViT-SAM: `stage1:0:0`, `neck:3:0`.
const BlockScheme& efficientvit_blocks();

}  // namespace strata::zoo
