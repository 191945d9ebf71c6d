// numpy's files: .npy is a header in Python's syntax and the elements; .npz is a zip
// of them.
#pragma once

#include <string_view>

#include "strata/engine/engine.h"

namespace strata {

// The array in the bytes of a .npy file; `label` names it in errors.
Result<HostTensor> read_npy(std::string_view bytes, std::string_view label);
// All arrays of a .npz file, named as in it.
Result<std::vector<HostTensor>> read_npz(const std::string& path);

}  // namespace strata
