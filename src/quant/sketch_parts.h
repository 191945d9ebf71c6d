// The elements of one large tensor, taken apart into sketches by several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "strata/quant/sketch.h"

namespace strata {

// Calls a function with 0 to count - 1, several at once, and returns when all have.
using RunParts =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& each)>;

// Adds all elements to the sketches, each of which gets a part of a large tensor; the sum
// does not depend on how many there are. With channels, all go to the first.
Status add_in_parts(std::span<Sketch> sketches, DType type, std::span<const std::byte> elements,
                    std::int64_t inner, const RunParts& run);

}  // namespace strata
