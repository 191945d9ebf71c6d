// 16-bit floating-point numbers.
#pragma once

#include <bit>
#include <cstdint>

namespace strata {

// IEEE half precision, rounded to nearest even; numbers that are too large become infinity.
inline std::uint16_t half_bits(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7e00);   // not a number
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // above 65519
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 leaves the right number of bits at the end.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  const std::uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

// The number that these bits represent.
inline float half_value(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffU;
  // Moving the exponent by multiplication also handles subnormal numbers.
  const float number = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(number) | (half & 0x8000U) << 16;
  if (magnitude >= 0x7c00) bits |= 0x7f800000;  // infinity, or not a number
  return std::bit_cast<float>(bits);
}

// The upper half of a float, rounded to nearest even.
inline std::uint16_t bfloat_bits(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

inline float bfloat_value(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

}  // namespace strata
