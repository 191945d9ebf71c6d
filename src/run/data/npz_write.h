// Writes tensors to numpy's .npz files, which read_tensors() and numpy can read.
#pragma once

#include <span>
#include <string>

#include "strata/engine/engine.h"

namespace strata {

// The bytes of a .npy file. numpy has no bf16 and no types smaller than a byte, so those are
// refused.
Result<std::string> npy_bytes(const HostTensor& tensor);
// One array for each tensor, under its name; not compressed.
Status write_npz(const std::string& path, std::span<const HostTensor> tensors);

}  // namespace strata
