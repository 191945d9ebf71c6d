#include "read/limits.h"

#include <algorithm>

namespace strata {

ReadOptions in_proportion(ReadOptions options, std::size_t file_bytes) {
  const auto set = [&](std::uint64_t& most, double base, double per_byte) {
    const double allowed = base + per_byte * static_cast<double>(file_bytes);
    constexpr double kMost = 1e18;
    most = static_cast<std::uint64_t>(
        std::clamp(std::min(static_cast<double>(most), allowed) * options.limit, 0.0, kMost));
  };
  set(options.max_nodes, 100e3, 1);
  set(options.max_tensors, 400e3, 4);
  set(options.max_list_items, 1e6, 10);
  return options;
}

}  // namespace strata
