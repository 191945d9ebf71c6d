// The results of a sweep as text: one row per variant.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "strata/report/bench.h"

namespace strata {

struct SweepResults {
  BenchRun run;                           // the groups of all jobs, one job after the other
  std::vector<std::string> failed = {};   // jobs without a result and the reason, one sentence each
  std::set<std::string> processors = {};  // the processors that jobs ran on
};

// The document of a benchmark, with the jobs that failed.
Document sweep_document(const SweepResults& results);

std::string sweep_to_table(const SweepResults& results, const TableStyle& style = {});
std::string sweep_to_markdown(const SweepResults& results);
std::string sweep_to_csv(const SweepResults& results);  // without failed jobs

}  // namespace strata
