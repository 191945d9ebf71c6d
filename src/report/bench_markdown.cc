#include <string_view>

#include "report/bench_text.h"
#include "report/markdown_list.h"

namespace strata {

namespace {

constexpr std::string_view kMarks = "|\\*~";

}  // namespace

std::string bench_to_markdown(const BenchRun& run, BenchLayout layout) {
  if (!run.aa.empty()) return markdown_list(aa_summary(run), kMarks);
  const bool published = layout == BenchLayout::Torchblade;
  Profile table = published ? torchblade_rows(run, false) : bench_rows(run, false);
  table.machine = run.machine;
  const std::string headline = published ? bench_headline(run) : "";
  std::string out = headline.empty() ? "" : headline + "\n\n";
  out += to_markdown(table);
  if (run.machine.empty()) out += "\n";
  return out + markdown_list(bench_summary(run), kMarks);
}

}  // namespace strata
