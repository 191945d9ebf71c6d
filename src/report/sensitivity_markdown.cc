#include <algorithm>
#include <string_view>

#include "report/sensitivity_text.h"

namespace strata {

namespace {

// Lines as a list; those set in by two belong to the one before.
std::string as_list(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool inner = line.starts_with("  ");
    if (inner) line.remove_prefix(2);
    out += inner ? "  - " : "- ";
    for (const char c : line) {
      if (std::string_view("|\\*_<[`").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string sensitivity_to_markdown(const SensitivityRun& run, std::size_t top) {
  return to_markdown(sensitivity_rows(run, top, false)) + "\n" + as_list(sensitivity_summary(run));
}

}  // namespace strata
