// Standard input as a file that can be mapped, opened twice, and opened by child processes.
#pragma once

#include <cstdint>
#include <string>

#include "strata/base/result.h"

namespace strata {

// The most that is copied from a pipe: no ONNX file is larger.
inline constexpr std::uint64_t kMostInputBytes = std::uint64_t{2} << 30;

// Its path. A regular file has its own; a pipe is read to its end on the first call, into memory,
// and has a path that ends with `stdin` and lasts as long as the process.
Result<std::string> standard_input_path();

// A sentence for people, in which the path of a pipe's copy is `standard input`.
std::string with_standard_input_named(std::string text);

// An anonymous file in memory with all that `descriptor` still has; the caller closes it. More than
// `most_bytes` are a failure.
Result<int> copy_to_memory(int descriptor, std::uint64_t most_bytes);

}  // namespace strata
