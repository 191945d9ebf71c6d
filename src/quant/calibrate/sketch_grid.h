// The position at which an element is counted in a sketch.
//
// Positions 0 to 65535 are the upper 16 bits of the float: sign, exponent and 7 bits of
// the mantissa. In the four octaves below the largest |x|, steps are even instead and
// as fine as 2^-11 of the largest power of two: positions 65536 + step for positive and
// 69632 + step for negative elements, step = floor(|x| / 2^(octave - 11)), 256 to 4095.
// When the largest |x| grows, steps are merged in pairs, or become positions of the first kind.
// Each lies entirely within one coarser step, so the counts do not depend on the order of the
// elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace strata {

inline constexpr std::uint32_t kFirstStep = 65536;  // position of step 0 of positive elements
inline constexpr std::uint32_t kStepsPerSign = 4096;
inline constexpr std::uint32_t kLeastStep = 256;  // smaller ones are counted in 16 bits
inline constexpr std::uint32_t kPositions = kFirstStep + 2 * kStepsPerSign;
inline constexpr std::uint32_t kInfinityBits = 0x7f800000;

struct SketchGrid {
  // Octaves below 2^-100 are treated as one, so that no step is a subnormal number.
  static constexpr int kMinOctave = -100;

  int octave = kMinOctave;
  std::uint32_t first_bits = 0;  // of the least |x| that is counted in steps
  std::uint32_t end_bits = 0;    // of the least |x| that is beyond the grid
  float step = 0;                // size of one step
  float steps_per_unit = 0;

  SketchGrid() : SketchGrid(0) {}
  // For elements up to this |x|, given as bits of a finite float.
  explicit SketchGrid(std::uint32_t largest)
      : octave(std::max(static_cast<int>(largest >> 23) - 127, kMinOctave)),
        first_bits(static_cast<std::uint32_t>(octave - 3 + 127) << 23),
        end_bits(static_cast<std::uint32_t>(octave + 1 + 127) << 23),
        step(std::bit_cast<float>(static_cast<std::uint32_t>(octave - 11 + 127) << 23)),
        steps_per_unit(std::bit_cast<float>(static_cast<std::uint32_t>(11 - octave + 127) << 23)) {}

  // For elements from `min` to `max`, both finite, or infinity and its negative.
  SketchGrid(float min, float max)
      : SketchGrid(min > max ? 0
                             : std::max(std::bit_cast<std::uint32_t>(min) & 0x7fffffff,
                                        std::bit_cast<std::uint32_t>(max) & 0x7fffffff)) {}

  // The position of an element below the end of the grid, given its bits.
  std::uint32_t position(std::uint32_t bits) const {
    const std::uint32_t magnitude = bits & 0x7fffffff;
    // Both are computed, because a branch would be unpredictable.
    const float steps = std::bit_cast<float>(std::max(magnitude, first_bits)) * steps_per_unit;
    const std::uint32_t in_steps = kFirstStep + (bits >> 31) * kStepsPerSign +
                                   static_cast<std::uint32_t>(static_cast<std::int32_t>(steps));
    const std::uint32_t which = 0U - static_cast<std::uint32_t>(magnitude < first_bits);
    return (bits >> 16 & which) | (in_steps & ~which);
  }

  // The bits of the element nearest to zero that has this position.
  std::uint32_t first_of(std::uint32_t position) const {
    if (position < kFirstStep) return position << 16;
    const float magnitude = step * static_cast<float>((position - kFirstStep) % kStepsPerSign);
    const std::uint32_t sign = (position - kFirstStep) / kStepsPerSign << 31;
    return std::bit_cast<std::uint32_t>(magnitude) | sign;
  }
  // A position of the first kind is at least three octaves below the largest float.
  double width_of(std::uint32_t position) const {
    if (position >= kFirstStep) return step;
    const std::uint32_t bits = (position & 0x7fff) << 16;
    return double{std::bit_cast<float>(bits + 0x10000)} - double{std::bit_cast<float>(bits)};
  }
};

}  // namespace strata
