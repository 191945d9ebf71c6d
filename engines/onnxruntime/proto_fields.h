// Encodes fields of a protocol buffer, to be appended to an existing one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::ort {

inline void add_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

inline std::string field(std::uint32_t number, std::string_view bytes) {
  std::string out;
  add_varint(out, (number << 3) | 2);
  add_varint(out, bytes.size());
  return out.append(bytes);
}

inline std::string number_field(std::uint32_t number, std::uint64_t value) {
  std::string out;
  add_varint(out, number << 3);
  add_varint(out, value);
  return out;
}

inline constexpr std::uint32_t kModelGraph = 7, kModelOpset = 8, kModelFunctions = 25;
inline constexpr std::uint32_t kGraphNode = 1, kGraphOutput = 12, kValueName = 1;
inline constexpr std::uint32_t kOpsetDomain = 1, kOpsetVersion = 2;
inline constexpr std::uint32_t kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOperator = 4;
inline constexpr std::uint32_t kNodeAttribute = 5, kNodeDomain = 7;
inline constexpr std::uint32_t kAttributeName = 1, kAttributeNumber = 3, kAttributeType = 20;
inline constexpr std::uint64_t kAttributeIsNumber = 2;

}  // namespace strata::ort
