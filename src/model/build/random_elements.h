// Random elements by index, without state, so that any part can be generated on its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "strata/graph/dtype.h"

namespace strata::build {

// The distribution that the elements of a tensor are drawn from.
struct Distribution {
  // Floats: bell-shaped from four uniform parts, within 3.46 deviations of the mean.
  float mean = 0;
  float deviation = 0.02F;
  // Integers, both bounds included; clipped to the range of the type.
  std::int64_t low = -8;
  std::int64_t high = 7;

  static Distribution constant(float number) {
    const auto whole = static_cast<std::int64_t>(number);
    return {number, 0, whole, whole};
  }
};

// Fills `chunk` with elements of the stream `key`, starting at number `first`. False if the type is
// not numeric.
bool fill_random(const Distribution& from, std::uint64_t key, DType type, std::int64_t first,
                 std::span<std::byte> chunk);

}  // namespace strata::build
