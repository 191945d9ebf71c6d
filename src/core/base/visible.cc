#include "base/visible.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>

#include "base/utf8.h"

namespace strata {

namespace {

struct CodeRange {
  char32_t first, last;
};

constexpr CodeRange kHidden[] = {
    {0x00, 0x1f},       {0x7f, 0x9f},      // control characters
    {0xad, 0xad},                          // soft hyphen
    {0x061c, 0x061c},   {0x200b, 0x200f},  // zero width, direction marks
    {0x2028, 0x202e},                      // line and paragraph separators, direction overrides
    {0x2060, 0x206f},                      // joiners, direction isolates
    {0xfeff, 0xfeff},                      // byte order mark
    {0xfff9, 0xfffb},                      // annotations
    {0xe0000, 0xe007f},                    // tags
};

bool is_plain(char c) { return c >= 0x20 && c < 0x7f; }

std::string written_out(std::string_view text, bool keep_line_breaks) {
  const auto stays = [&](char c) { return is_plain(c) || (keep_line_breaks && c == '\n'); };
  if (std::all_of(text.begin(), text.end(), stays)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const auto plain = std::find_if_not(text.begin(), text.end(), stays) - text.begin();
    out += text.substr(0, static_cast<std::size_t>(plain));
    text.remove_prefix(static_cast<std::size_t>(plain));
    if (text.empty()) break;
    const CodePoint point = first_code_point(text);
    if (point.valid && !is_hidden(point.code))
      out += text.substr(0, point.bytes);
    else if (!point.valid || point.code < 0x80)
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point.code));
    else
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point.code));
    text.remove_prefix(point.bytes);
  }
  return out;
}

}  // namespace

bool is_hidden(char32_t code) {
  return std::any_of(std::begin(kHidden), std::end(kHidden), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

std::string visible(std::string_view text) { return written_out(text, false); }

std::string visible_lines(std::string_view text) { return written_out(text, true); }

}  // namespace strata
