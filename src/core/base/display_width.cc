#include "base/display_width.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/utf8.h"
#include "strata/base/number_text.h"

namespace strata {

namespace {

struct CodeRange {
  char32_t first, last;
};

// Blocks in which UAX #11 has wide characters (W or F), whole: a few signs in blocks of others, and
// narrow ones among pictographs, are not distinguished.
constexpr std::array<CodeRange, 16> kWide = {{{0x1100, 0x115F},
                                              {0x2E80, 0x303E},
                                              {0x3041, 0x4DBF},
                                              {0x4E00, 0xA4CF},
                                              {0xA960, 0xA97C},
                                              {0xAC00, 0xD7A3},
                                              {0xF900, 0xFAFF},
                                              {0xFE10, 0xFE19},
                                              {0xFE30, 0xFE6B},
                                              {0xFF01, 0xFF60},
                                              {0xFFE0, 0xFFE6},
                                              {0x16FE0, 0x1B2FB},
                                              {0x1F300, 0x1F64F},
                                              {0x1F680, 0x1F6FF},
                                              {0x1F900, 0x1FAFF},
                                              {0x20000, 0x3FFFD}}};
// Marks that are drawn over the character before them.
constexpr std::array<CodeRange, 5> kOver = {
    {{0x0300, 0x036F}, {0x1AB0, 0x1ACE}, {0x1DC0, 0x1DFF}, {0x20D0, 0x20F0}, {0xFE20, 0xFE2F}}};

template <std::size_t N>
bool is_in(const std::array<CodeRange, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return range.first <= code && code <= range.last;
  });
}

std::size_t width_of(char32_t code) {
  if (code < kOver.front().first) return 1;
  if (is_in(kOver, code)) return 0;
  return is_in(kWide, code) ? 2 : 1;
}

// True if a byte may begin a character of another width than 1: U+0300 is CC 80, U+036F CD AF, and
// from U+1100 on they begin with E1 or more. Those with E2, such as `…` and `─`, are narrow up to
// U+20D0 and from U+2100 to U+2E80.
bool may_differ(unsigned char byte) { return byte == 0xCC || byte == 0xCD || byte >= 0xE1; }

std::size_t width_by_code(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    width += width_of(point.code);
    text.remove_prefix(point.bytes);
  }
  return width;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return may_differ(static_cast<unsigned char>(c)); }))
    return width_by_code(text);
  std::size_t width = text.size(), at = 0;
  // Bytes that continue a character have their highest bit set, and the one after it not; eight of
  // them at a time, the product adds up the lowest bits of all eight.
  for (; at + 8 <= text.size(); at += 8) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    width -= ((bytes >> 7 & ~(bytes >> 6) & kOnes) * kOnes) >> 56;
  }
  for (; at < text.size(); ++at) width -= (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  return width;
}

std::string end_of_width(std::string_view text, std::size_t width) {
  std::size_t left = display_width(text);
  if (left <= width) return std::string(text);
  while (!text.empty() && left + 1 > width) {
    const CodePoint point = first_code_point(text);
    left -= width_of(point.code);
    text.remove_prefix(point.bytes);
  }
  return width == 0 ? "" : "…" + std::string(text);
}

std::string start_of_width(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t taken = 0, at = 0;
  while (at < text.size()) {
    const CodePoint point = first_code_point(text.substr(at));
    if (taken + width_of(point.code) + 1 > width) break;
    taken += width_of(point.code);
    at += point.bytes;
  }
  return width == 0 ? "" : std::string(text.substr(0, at)) + "…";
}

}  // namespace strata
