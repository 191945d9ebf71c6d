// Ends a benchmark with a message if something fails.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "strata/base/result.h"

namespace bench {

template <class T>
T or_exit(strata::Result<T> result) {
  if (result) return std::move(*result);
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, result.error().message);
  std::exit(1);
}
inline void or_exit(const strata::Status& status) {
  if (status) return;
  fmt::print(stderr, "{}: {}\n", program_invocation_short_name, status.error().message);
  std::exit(1);
}

}  // namespace bench
