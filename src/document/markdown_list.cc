#include "document/markdown_list.h"

#include <algorithm>

namespace strata {

std::string markdown_list(std::string_view text, std::string_view marks) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool inner = line.starts_with("  ");
    if (inner) line.remove_prefix(2);
    out += inner ? "  - " : "- ";
    for (const char c : line) {
      if (marks.find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    out += '\n';
  }
  return out;
}

}  // namespace strata
