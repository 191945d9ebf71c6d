#include <fmt/format.h>

#include "report/bench_text.h"
#include "report/footer.h"

namespace strata {

std::string bench_to_table(const BenchRun& run, const TableStyle& style, BenchLayout layout) {
  if (!run.aa.empty()) return wrapped(aa_summary(run), style.width);
  const bool published = layout == BenchLayout::Torchblade;
  Profile table = published ? torchblade_rows(run, false) : bench_rows(run, false);
  table.machine = run.machine;
  std::string out = to_table(table, style);
  if (const std::string headline = bench_headline(run); published && !headline.empty())
    out += "\n" + wrapped(headline + "\n", style.width);
  out += "\n" + wrapped(bench_summary(run), style.width);
  if (published) return out;
  for (const BenchGroup& group : run.groups)
    if (const std::string bars = bench_bars(group, style.width); !bars.empty()) out += "\n" + bars;
  return out;
}

}  // namespace strata
