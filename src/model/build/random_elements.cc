#include "build/random_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/half.h"

namespace strata::build {

namespace {

// Number `i` of the stream: SplitMix64 (Steele, Lea, Flood 2014), whose state is a counter.
std::uint64_t random_word(std::uint64_t key, std::uint64_t i) {
  std::uint64_t z = key + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// The sum of four uniform 16-bit numbers, shifted and scaled to mean 0 and deviation 1.
float bell(std::uint64_t word) {
  constexpr float kMean = 2 * 65535.0F;
  constexpr float kDeviation = 37837.227F;  // sqrt((2^32 - 1) / 3)
  const std::uint64_t sum =
      (word & 0xffff) + ((word >> 16) & 0xffff) + ((word >> 32) & 0xffff) + (word >> 48);
  return (static_cast<float>(static_cast<std::int32_t>(sum)) - kMean) * (1 / kDeviation);
}

// The nearest float of at most 8 bits; a number that is too large becomes the largest one with this
// exponent range.
std::uint8_t small_float(float number, int exponent_bits, int mantissa_bits, int bias) {
  const int sign_at = exponent_bits + mantissa_bits;
  const auto sign = static_cast<std::uint8_t>(std::signbit(number) ? 1 << sign_at : 0);
  const int least = 1 - bias;
  const float magnitude = std::fabs(number);
  const int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : least, least);
  // In units of the last place; a carry propagates into the exponent by itself.
  const long steps = std::lrint(std::ldexp(magnitude, mantissa_bits - exponent));
  const long bits = steps + (static_cast<long>(exponent - least) << mantissa_bits);
  const long largest = (1L << sign_at) - (1L << mantissa_bits) - 1;
  const long kept = std::min(bits, largest);
  if (kept == 0) return 0;  // some of these types have no -0
  return static_cast<std::uint8_t>(sign | kept);
}

template <class T, class F>
void each(std::span<std::byte> chunk, std::uint64_t first, F&& make) {
  const std::size_t count = chunk.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    const T item = make(first + i);
    std::memcpy(chunk.data() + i * sizeof(T), &item, sizeof item);
  }
}

// Elements of `width` bits each, packed from the low end of a byte.
template <class F>
void each_packed(std::span<std::byte> chunk, std::uint64_t first, unsigned width, F&& make) {
  const unsigned mask = (1u << width) - 1;
  for (std::size_t i = 0; i < chunk.size(); ++i) {
    unsigned byte = 0;
    for (unsigned at = 0; at < 8; at += width)
      byte |= (static_cast<unsigned>(make(first++)) & mask) << at;
    chunk[i] = static_cast<std::byte>(byte);
  }
}

bool is_signed(DType type) {
  return type == DType::I8 || type == DType::I16 || type == DType::I32 || type == DType::I64 ||
         type == DType::I4 || type == DType::I2;
}

bool fill_integers(const Distribution& from, std::uint64_t key, DType type, std::uint64_t first,
                   std::span<std::byte> chunk) {
  constexpr std::int64_t kFarEnough = std::int64_t{1} << 30;
  const int width = (type == DType::Bool ? 1 : bits(type)) - (is_signed(type) ? 1 : 0);
  const std::int64_t most = width > 30 ? kFarEnough : (std::int64_t{1} << width) - 1;
  const std::int64_t low = std::clamp(from.low, is_signed(type) ? -most - 1 : 0, most);
  const std::int64_t high = std::clamp(from.high, low, most);
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  const auto make = [&](std::uint64_t i) {
    // The upper half of the product of two 32-bit numbers.
    return low + static_cast<std::int64_t>(((random_word(key, i) >> 32) * range) >> 32);
  };
  switch (bits(type)) {
    case 2:
    case 4:
      each_packed(chunk, first, static_cast<unsigned>(bits(type)), make);
      return true;
    case 8:
      each<std::uint8_t>(chunk, first, [&](auto i) { return static_cast<std::uint8_t>(make(i)); });
      return true;
    case 16:
      each<std::uint16_t>(chunk, first,
                          [&](auto i) { return static_cast<std::uint16_t>(make(i)); });
      return true;
    case 32:
      each<std::uint32_t>(chunk, first,
                          [&](auto i) { return static_cast<std::uint32_t>(make(i)); });
      return true;
    default:
      each<std::int64_t>(chunk, first, make);
      return true;
  }
}

}  // namespace

bool fill_random(const Distribution& from, std::uint64_t key, DType type, std::int64_t first,
                 std::span<std::byte> chunk) {
  const auto start = static_cast<std::uint64_t>(first);
  const float mean = from.mean;
  const float deviation = from.deviation;
  const auto real = [=](std::uint64_t i) { return mean + deviation * bell(random_word(key, i)); };
  const auto small = [&](int exponent_bits, int mantissa_bits, int bias) {
    each<std::uint8_t>(chunk, start, [&](std::uint64_t i) {
      return small_float(real(i), exponent_bits, mantissa_bits, bias);
    });
    return true;
  };
  switch (type) {
    case DType::F32:
      each<float>(chunk, start, real);
      return true;
    case DType::F64:
      each<double>(chunk, start, [&](auto i) { return static_cast<double>(real(i)); });
      return true;
    case DType::C64:
      each<float>(chunk, 2 * start, real);
      return true;
    case DType::C128:
      each<double>(chunk, 2 * start, [&](auto i) { return static_cast<double>(real(i)); });
      return true;
    case DType::F16:
      each<std::uint16_t>(chunk, start, [&](auto i) { return half_bits(real(i)); });
      return true;
    case DType::BF16:
      each<std::uint16_t>(chunk, start, [&](auto i) { return bfloat_bits(real(i)); });
      return true;
    case DType::F8E4M3FN:
      return small(4, 3, 7);
    case DType::F8E4M3FNUZ:
      return small(4, 3, 8);
    case DType::F8E5M2:
      return small(5, 2, 15);
    case DType::F8E5M2FNUZ:
      return small(5, 2, 16);
    case DType::F4E2M1:
      each_packed(chunk, start, 4, [&](auto i) { return small_float(real(i), 2, 1, 1); });
      return true;
    case DType::F8E8M0:  // an exponent; 127 is 1
      std::fill(chunk.begin(), chunk.end(), std::byte{127});
      return true;
    case DType::Undefined:
    case DType::String:
      return false;
    default:
      return fill_integers(from, key, type, start, chunk);
  }
}

}  // namespace strata::build
