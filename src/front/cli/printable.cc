#include "cli/printable.h"

#include "base/visible.h"

namespace strata {

std::string printable(std::string_view text) {
  constexpr std::string_view kIndent = "  ";
  const std::string lines = visible_lines(text);
  std::string out;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    out += lines[at];
    if (lines[at] == '\n' && !std::string_view(lines).substr(at + 1).starts_with(kIndent))
      out += kIndent;
  }
  return out;
}

}  // namespace strata
