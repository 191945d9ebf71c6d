#include "report/bench_text.h"

namespace strata {

namespace {

// An A/A check has figures of its own.
Profile aa_rows(const BenchRun& run) {
  Profile table;
  for (const char* name : {"model", "variant"})
    table.columns.push_back({name, name, Unit::Text, false, 0});
  for (const char* name : {"trials", "pairs", "false_rate", "false_rate_low", "false_rate_high",
                           "sequential_rate", "smallest_difference", "seconds"})
    table.columns.push_back({name, name, Unit::Count, false, 0});
  for (const BenchAa& aa : run.aa) {
    const AaCheck& check = aa.check;
    ProfileRow& row = table.rows.emplace_back();
    row.cells = {{aa.variant.model, Certainty::Exact},
                 {variant_text(aa.variant), Certainty::Exact},
                 {Expr(check.trials), Certainty::Exact},
                 {Expr(check.pairs), Certainty::Exact}};
    for (const double figure :
         {check.false_rate, check.false_rate_interval.low, check.false_rate_interval.high,
          check.sequential_rate, check.smallest, check.seconds})
      row.cells.push_back({figure, Certainty::Exact});
  }
  return table;
}

}  // namespace

std::string bench_to_csv(const BenchRun& run, BenchLayout layout) {
  if (!run.aa.empty()) return to_csv(aa_rows(run));
  return to_csv(layout == BenchLayout::Torchblade ? torchblade_rows(run, true)
                                                  : bench_rows(run, true));
}

}  // namespace strata
