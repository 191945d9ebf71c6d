// The part of a sketch that is run for every element, in the widths that machines have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "quant/sketch_grid.h"

namespace strata {

struct BlockFacts {
  std::uint32_t largest = 0;  // bits of |x|
  // Bits of the least |x| that is not zero, less one, so that zero comes out largest.
  std::uint32_t smallest = std::numeric_limits<std::uint32_t>::max();
  float low = std::numeric_limits<float>::infinity();
  float high = -std::numeric_limits<float>::infinity();
  std::size_t placed = 0;  // elements that are not zero
};

// How many positions are written beyond those that are meant.
inline constexpr std::size_t kPositionSlack = 16;

struct SketchKernel {
  const char* name;
  bool (*runs_here)();
  // Writes the position of every element that is not zero. Where `largest` says that an
  // element is not finite or is beyond the grid, nothing else of the answer means anything.
  BlockFacts (*place)(std::span<const float> block, const SketchGrid& grid,
                      std::uint32_t* positions);
  // Takes finite elements into low and high: all into one of each, or one into each.
  void (*widen)(std::span<const float> values, float& low, float& high);
  void (*widen_each)(std::span<const float> values, float* low, float* high);
};

// All of this build, the fastest first; the last runs everywhere.
std::span<const SketchKernel> sketch_kernels();
// The fastest that runs on this machine.
const SketchKernel& sketch_kernel();

}  // namespace strata
