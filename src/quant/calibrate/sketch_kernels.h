// The part of sketching that runs for every element, for each vector width that machines have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "calibrate/sketch_grid.h"

namespace strata {

struct BlockFacts {
  std::uint32_t largest = 0;  // bits of |x|
  // Bits of the least |x| that is not zero, minus one, so that zero wraps around to the largest
  // value.
  std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max();
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  std::size_t placed = 0;  // elements that are not zero
};

// The number of positions that may be written beyond the valid ones.
inline constexpr std::size_t kPositionSlack = 16;

struct SketchKernel {
  const char* name;
  bool (*runs_here)();
  // Writes the position of every element that is not zero. If `largest` says that an element is not
  // finite or is beyond the grid, the rest of the result is meaningless.
  BlockFacts (*place)(std::span<const float> block, const SketchGrid& grid,
                      std::uint32_t* positions);
  // Widens low and high to include finite elements: all in one pair, or one element per pair.
  void (*widen)(std::span<const float> values, float& low, float& high);
  void (*widen_each)(std::span<const float> values, float* low, float* high);
};

// All kernels of this build, fastest first; the last one runs everywhere.
std::span<const SketchKernel> sketch_kernels();
// The fastest that runs on this machine.
const SketchKernel& sketch_kernel();

}  // namespace strata
