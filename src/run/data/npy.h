// numpy's files: .npy is a header in Python's syntax followed by the elements; .npz is a zip
// archive of .npy files.
#pragma once

#include <string_view>

#include "strata/engine/engine.h"

namespace strata {

// The header before the elements.
struct NpyHeader {
  DType dtype = DType::Undefined;
  std::vector<std::int64_t> dims;
  std::size_t start = 0;            // where the elements begin
  std::uint64_t element_bytes = 0;  // of all elements
};
// Reads the header from the first bytes of a .npy file: kMostNpyHeader bytes are enough for every
// header that numpy writes for an array without fields.
Result<NpyHeader> read_npy_header(std::string_view bytes, std::string_view label);
inline constexpr std::size_t kMostNpyHeader = 4096;
// The array in the bytes of a .npy file; `label` names it in errors.
Result<HostTensor> read_npy(std::string_view bytes, std::string_view label);
// All arrays of a .npz file, under their names in the file.
Result<std::vector<HostTensor>> read_npz(const std::string& path);

}  // namespace strata
