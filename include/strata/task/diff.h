// The job behind `strata diff`: compares models or saved documents. Nothing is run.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/compare/document.h"
#include "strata/task/model.h"

namespace strata {

struct DiffRequest {
  // Models, files of weights, or documents (profiles, benchmarks, sensitivities) as JSON; at least
  // two. All are compared with the first.
  std::vector<Source> files = {};
  ModelRequest model = {};  // how models are read; its source is not used
  std::string convention = "strata";
  bool as_stored = false;                // AnalysisOptions::as_stored
  std::vector<std::string> limits = {};  // `latency>+5%`
};

struct DiffOutcome {
  compare::Comparison comparison;
  std::uint64_t bytes = 0;  // of all files: what a document of them may be large for
};

Result<DiffOutcome> run_diff(const DiffRequest& request, const Observer& observer = {});

}  // namespace strata
