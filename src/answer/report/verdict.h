// The findings of a command, in two lines that stand before everything else.
#pragma once

#include <string>

#include "strata/document/document.h"
#include "strata/report/bench.h"
#include "strata/report/optimize.h"
#include "strata/report/quantize.h"
#include "strata/report/sensitivity.h"

namespace strata {

struct Verdict {
  std::string answer;  // with its interval; empty: there is nothing to say
  std::string advice;  // how sure that is, and what to do
  Meaning meaning = Meaning::Plain;
};

Verdict bench_verdict(const BenchRun& run);
Verdict optimize_verdict(const OptimizedModel& optimized, const std::string& time_option);
Verdict quantize_verdict(const QuantizeReport& report);
Verdict sensitivity_verdict(const SensitivityRun& run);

// The two lines, set apart from what follows.
Section verdict_section(const Verdict& verdict);

}  // namespace strata
