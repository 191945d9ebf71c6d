// Element types. The numbers are ONNX's, so a file's field can be used as a DType.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

enum class DType : std::uint8_t {
  Undefined = 0,
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  String = 8,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  C64 = 14,   // two f32
  C128 = 15,  // two f64
  BF16 = 16,
  F8E4M3FN = 17,
  F8E4M3FNUZ = 18,
  F8E5M2 = 19,
  F8E5M2FNUZ = 20,
  U4 = 21,
  I4 = 22,
  F4E2M1 = 23,
  F8E8M0 = 24,
  U2 = 25,
  I2 = 26,
};
inline constexpr int kDTypeCount = 27;

namespace detail {
// In the order of the enum.
inline constexpr std::uint8_t kBits[kDTypeCount] = {
    0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4, 4, 8, 2, 2};
}  // namespace detail

// Bits per element; 0 when the size is not fixed (strings, undefined).
constexpr int bits(DType type) {
  const auto number = static_cast<unsigned>(type);
  return number < kDTypeCount ? detail::kBits[number] : 0;
}
// `f32`, `i64`, `bf16`, `f8e4m3fn`; `?` for undefined.
std::string_view name_of(DType type);
std::optional<DType> dtype_from_name(std::string_view name);
bool is_float(DType type);
bool is_integer(DType type);  // signed or unsigned, bool not included
// The type that ONNX gives this number, or nullopt if this build does not know it.
std::optional<DType> dtype_from_onnx(std::int64_t number);

}  // namespace strata
