// Limits on a file's content, in proportion to its size (docs/limits.md).
#pragma once

#include <cstddef>

#include "strata/read/read.h"

namespace strata {

// Domains that a file or a function imports: they are searched for every node.
inline constexpr std::size_t kMostOpsets = 1000;

// The limits for a file of this size, multiplied by `options.limit`. Every node, tensor and list
// element takes at least a byte of a file, so that only what is inlined or compressed can meet
// them.
ReadOptions in_proportion(ReadOptions options, std::size_t file_bytes);

}  // namespace strata
