// Random elements by number: no state, so that any part can be made by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "strata/graph/dtype.h"

namespace strata::zoo {

// What the elements of a tensor are drawn from.
struct Distribution {
  // Floats: a bell of four uniform parts, within 3.46 deviations of the mean.
  float mean = 0;
  float deviation = 0.02F;
  // Integers, both included; cut to what the type holds.
  std::int64_t low = -8;
  std::int64_t high = 7;

  static Distribution constant(float number) {
    const auto whole = static_cast<std::int64_t>(number);
    return {number, 0, whole, whole};
  }
};

// Elements `first` and following of the stream `key`, as many as `chunk` holds. False
// if the type has no numbers.
bool fill_random(const Distribution& from, std::uint64_t key, DType type, std::int64_t first,
                 std::span<std::byte> chunk);

}  // namespace strata::zoo
