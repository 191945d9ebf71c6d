#include "calibrate/packed_counts.h"

#include <array>
#include <cstdint>
#include <optional>

namespace strata {

namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kCounters = PagedCounters::kPages * PagedCounters::kPageSize;

std::string base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::string_view three = bytes.substr(i, 3);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = bits << 8 | (k < three.size() ? static_cast<unsigned char>(three[k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      text += k <= three.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

constexpr std::array<std::int16_t, 256> kValues = [] {
  std::array<std::int16_t, 256> values = {};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int16_t>(i);
  return values;
}();

std::optional<std::string> bytes_of(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0, held = 0;
  for (const char digit : text) {
    const int value = kValues[static_cast<unsigned char>(digit)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

void put(std::string& bytes, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7f) | 0x80);
  bytes += static_cast<char>(number);
}

// Takes a number from the front; nullopt if it does not end or has more than 63 bits.
std::optional<std::uint64_t> take(std::string_view& bytes) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

}  // namespace

std::string packed_counts(const PagedCounters& counters) {
  std::string bytes;
  std::uint32_t next = 0;
  counters.for_each([&](std::uint32_t position, std::uint64_t count) {
    put(bytes, position - next + 1);
    put(bytes, count);
    next = position + 1;
  });
  return base64(bytes);
}

Result<PagedCounters> unpacked_counts(std::string_view text) {
  const auto bytes = bytes_of(text);
  if (!bytes) return failure("counts that are not base64");
  PagedCounters counters;
  std::string_view rest = *bytes;
  for (std::uint64_t next = 0; !rest.empty();) {
    const auto distance = take(rest);
    const auto count = take(rest);
    if (!distance || !count) return failure("counts that end too early");
    if (*distance == 0 || *distance > kCounters - next)
      return failure("counts at a position that there is not");
    if (*count == 0) return failure("a count of zero where only others are written");
    next += *distance;
    counters.add(static_cast<std::uint32_t>(next - 1), *count);
  }
  return counters;
}

}  // namespace strata
