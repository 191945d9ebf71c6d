// Decodes the elements of small stored tensors, for every numeric type.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "strata/graph/graph.h"

namespace strata {

namespace {

template <class T>
T load(const char* at) {
  T item;
  std::memcpy(&item, at, sizeof item);
  return item;
}

// The layout of a float format of at most 16 bits: sign, exponent, mantissa.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  enum Special {
    Ieee,          // all exponent bits set: infinity, or NaN if the mantissa is not 0
    FiniteNan,     // no infinity; NaN has all exponent and mantissa bits set
    NegativeZero,  // no infinity; NaN has the bits of -0
    Finite,        // numbers only
  } special;
};

double decode_float(std::uint32_t bits, FloatFormat format) {
  const auto mantissa_mask = (1u << format.mantissa_bits) - 1;
  const auto exponent_mask = (1u << format.exponent_bits) - 1;
  const std::uint32_t mantissa = bits & mantissa_mask;
  const std::uint32_t exponent = (bits >> format.mantissa_bits) & exponent_mask;
  const bool negative = ((bits >> (format.mantissa_bits + format.exponent_bits)) & 1) != 0;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  double magnitude;
  if (format.special == FloatFormat::Ieee && exponent == exponent_mask)
    magnitude = mantissa != 0 ? kNan : std::numeric_limits<double>::infinity();
  else if (format.special == FloatFormat::FiniteNan && exponent == exponent_mask &&
           mantissa == mantissa_mask)
    magnitude = kNan;
  else if (format.special == FloatFormat::NegativeZero && negative && exponent == 0 &&
           mantissa == 0)
    return kNan;
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, 1 - format.bias - format.mantissa_bits);
  else
    magnitude = std::ldexp(mantissa + (1u << format.mantissa_bits),
                           static_cast<int>(exponent) - format.bias - format.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

// The bits of element `i`, packed from the low end of each byte.
std::uint32_t packed_bits(std::string_view bytes, std::size_t i, unsigned width) {
  const std::size_t at = i * width;
  const auto byte = static_cast<unsigned char>(bytes[at / 8]);
  return (byte >> (at % 8)) & ((1u << width) - 1);
}

std::int64_t sign_extended(std::uint32_t bits, unsigned width) {
  return static_cast<std::int64_t>(bits) - ((bits >> (width - 1)) != 0 ? 1 << width : 0);
}

Scalar decode_item(std::string_view bytes, DType type, std::size_t i) {
  const char* start = bytes.data();
  const auto byte = [&] { return static_cast<unsigned char>(start[i]); };
  switch (type) {
    case DType::F32:
      return Scalar::real(load<float>(start + 4 * i));
    case DType::F64:
      return Scalar::real(load<double>(start + 8 * i));
    case DType::U8:
      return byte();
    case DType::I8:
      return static_cast<signed char>(start[i]);
    case DType::U16:
      return load<std::uint16_t>(start + 2 * i);
    case DType::I16:
      return load<std::int16_t>(start + 2 * i);
    case DType::U32:
      return load<std::uint32_t>(start + 4 * i);
    case DType::I32:
      return load<std::int32_t>(start + 4 * i);
    case DType::I64:
      return load<std::int64_t>(start + 8 * i);
    case DType::U64: {
      const auto item = load<std::uint64_t>(start + 8 * i);
      if (item > static_cast<std::uint64_t>(Expr::kMaxNumber))
        return Scalar::real(static_cast<double>(item));
      return static_cast<std::int64_t>(item);
    }
    case DType::Bool:
      return byte() != 0 ? 1 : 0;
    case DType::F16:
      return Scalar::real(
          decode_float(load<std::uint16_t>(start + 2 * i), {5, 10, 15, FloatFormat::Ieee}));
    case DType::BF16:
      return Scalar::real(
          decode_float(load<std::uint16_t>(start + 2 * i), {8, 7, 127, FloatFormat::Ieee}));
    case DType::F8E4M3FN:
      return Scalar::real(decode_float(byte(), {4, 3, 7, FloatFormat::FiniteNan}));
    case DType::F8E4M3FNUZ:
      return Scalar::real(decode_float(byte(), {4, 3, 8, FloatFormat::NegativeZero}));
    case DType::F8E5M2:
      return Scalar::real(decode_float(byte(), {5, 2, 15, FloatFormat::Ieee}));
    case DType::F8E5M2FNUZ:
      return Scalar::real(decode_float(byte(), {5, 2, 16, FloatFormat::NegativeZero}));
    case DType::F8E8M0:  // an exponent and nothing else; 255 is NaN
      return Scalar::real(byte() == 255 ? std::numeric_limits<double>::quiet_NaN()
                                        : std::ldexp(1.0, byte() - 127));
    case DType::F4E2M1:
      return Scalar::real(decode_float(packed_bits(bytes, i, 4), {2, 1, 1, FloatFormat::Finite}));
    case DType::U4:
      return packed_bits(bytes, i, 4);
    case DType::I4:
      return sign_extended(packed_bits(bytes, i, 4), 4);
    case DType::U2:
      return packed_bits(bytes, i, 2);
    case DType::I2:
      return sign_extended(packed_bits(bytes, i, 2), 2);
    default:
      return Expr::unknown();
  }
}

bool has_numbers(DType type) {
  return type != DType::Undefined && type != DType::String && type != DType::C64 &&
         type != DType::C128;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "stored elements are little endian");

std::optional<Value> decode(const TensorData& data) {
  std::optional<Value> decoded;
  const auto begin = [&]() -> Value& {
    Value& value = decoded.emplace();
    value.type = data.dtype;
    value.dims.append(data.dims.begin(), data.dims.end());
    return value;
  };
  if (data.dtype == DType::String && !data.texts.empty()) {
    begin().texts.assign(data.texts.begin(), data.texts.end());
    return decoded;
  }
  if (data.store != TensorData::Store::Raw || !has_numbers(data.dtype)) return decoded;
  const Expr count = data.elements();
  if (!count.is_number() || count.value() < 0 || count.value() > kMaxValueElements) return decoded;
  const auto items = static_cast<std::size_t>(count.value());
  if (data.bytes.size() < (items * static_cast<std::size_t>(bits(data.dtype)) + 7) / 8)
    return decoded;
  Value& value = begin();
  value.items.reserve(items);
  for (std::size_t i = 0; i < items; ++i)
    value.items.push_back(decode_item(data.bytes, data.dtype, i));
  return decoded;
}

}  // namespace strata
