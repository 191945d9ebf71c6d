#include "data/elements.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace strata {

namespace {

template <class T, class Convert>
std::vector<double> convert(const HostTensor& tensor, const Convert& number_of) {
  std::vector<double> out(tensor.data.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T value;
    std::memcpy(&value, tensor.data.data() + i * sizeof(T), sizeof(T));
    out[i] = number_of(value);
  }
  return out;
}

template <class T>
std::vector<double> plain(const HostTensor& tensor) {
  return convert<T>(tensor, [](T value) { return static_cast<double>(value); });
}

// IEEE half precision.
double half_number(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double bfloat_number(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace

std::vector<double> elements_of(const HostTensor& tensor) {
  switch (tensor.dtype) {
    case DType::F32:
      return plain<float>(tensor);
    case DType::F64:
      return plain<double>(tensor);
    case DType::F16:
      return convert<std::uint16_t>(tensor, half_number);
    case DType::BF16:
      return convert<std::uint16_t>(tensor, bfloat_number);
    case DType::I8:
      return plain<std::int8_t>(tensor);
    case DType::I16:
      return plain<std::int16_t>(tensor);
    case DType::U16:
      return plain<std::uint16_t>(tensor);
    case DType::I32:
      return plain<std::int32_t>(tensor);
    case DType::U32:
      return plain<std::uint32_t>(tensor);
    case DType::I64:
      return plain<std::int64_t>(tensor);
    case DType::U64:
      return plain<std::uint64_t>(tensor);
    default:
      return plain<std::uint8_t>(tensor);
  }
}

}  // namespace strata
