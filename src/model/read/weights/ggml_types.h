// GGUF's storage of elements: blocks that share scales, so that a weight takes a fraction of a
// byte.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::weights {

struct GgmlType {
  std::uint32_t number;    // in the file
  std::string_view name;   // `Q4_K`
  std::uint32_t elements;  // of a block
  std::uint32_t bytes;     // of a block
};
// nullptr: no type that strata knows.
const GgmlType* find_ggml_type(std::uint32_t number);

// The type that a file states as `general.file_type`.
struct GgufFileType {
  std::uint32_t number;
  std::string_view name;  // `Q4_K_M`
  std::string_view main;  // the type that most weights of such a file have: `Q4_K`
};
const GgufFileType* find_file_type(std::uint32_t number);

}  // namespace strata::weights
