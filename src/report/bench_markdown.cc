#include <algorithm>
#include <string_view>

#include "report/bench_text.h"

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
      if (c == '|' || c == '\\' || c == '*' || c == '~') out += '\\';
      out += c;
    }
    out += '\n';
  }
  return out;
}

}  // namespace

std::string bench_to_markdown(const BenchRun& run, BenchLayout layout) {
  if (!run.aa.empty()) return as_list(aa_summary(run));
  const bool published = layout == BenchLayout::Torchblade;
  Profile table = published ? torchblade_rows(run, false) : bench_rows(run, false);
  table.machine = run.machine;
  const std::string headline = published ? bench_headline(run) : "";
  std::string out = headline.empty() ? "" : headline + "\n\n";
  out += to_markdown(table);
  if (run.machine.empty()) out += "\n";
  return out + as_list(bench_summary(run));
}

}  // namespace strata
