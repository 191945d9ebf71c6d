#include "document/markdown_list.h"

#include <algorithm>

namespace strata {

std::string markdown_text(std::string_view text) {
  constexpr std::string_view kMarks = "|\\*~<`";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    // A bracket alone is text; before a parenthesis or another bracket it makes a link.
    const bool links = text[i] == ']' && i + 1 < text.size() &&
                       (text[i + 1] == '(' || text[i + 1] == '[' || text[i + 1] == ':');
    if (links || kMarks.find(text[i]) != kMarks.npos) out += '\\';
    out += text[i];
  }
  return out;
}

std::string markdown_list(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool inner = line.starts_with("  ");
    if (inner) line.remove_prefix(2);
    out += (inner ? "  - " : "- ") + markdown_text(line) + "\n";
  }
  return out;
}

}  // namespace strata
