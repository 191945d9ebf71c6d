// Several threads divide the elements of one large tensor among several sketches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "strata/calibrate/sketch.h"

namespace strata {

// Calls a function with 0 to count - 1, several at once, and returns when all calls have.
using RunParts =
    std::function<void(std::size_t count, const std::function<void(std::size_t)>& each)>;

// Adds all elements to the sketches, each of which gets a part of a large tensor; their sum does
// not depend on the number of sketches. With channels, all elements go to the first.
Status add_in_parts(std::span<Sketch> sketches, DType type, std::span<const std::byte> elements,
                    std::int64_t inner, const RunParts& run);

}  // namespace strata
