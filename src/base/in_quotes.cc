#include "base/in_quotes.h"

#include <fmt/format.h>

namespace strata {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  std::string_view shown = text;
  if (text.size() > kLongest) {
    shown = text.substr(0, kLongest);
    // Do not cut in the middle of a UTF-8 character.
    while (!shown.empty() && (static_cast<unsigned char>(text[shown.size()]) & 0xc0) == 0x80)
      shown.remove_suffix(1);
  }
  std::string result = "\"";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || c == '"' || c == '\\')
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  result += shown.size() < text.size() ? "…\"" : "\"";
  return result;
}

}  // namespace strata
