#include "base/in_quotes.h"

#include "base/visible.h"

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
  const bool is_cut = shown.size() < text.size();
  std::string result = "\"";
  // A quote or a backslash of the text's own is written out as well.
  while (!shown.empty()) {
    const std::size_t mark = shown.find_first_of("\"\\");
    result += visible(shown.substr(0, mark));
    if (mark == shown.npos) break;
    result += shown[mark] == '"' ? "\\x22" : "\\x5c";
    shown.remove_prefix(mark + 1);
  }
  result += is_cut ? "…\"" : "\"";
  return result;
}

}  // namespace strata
