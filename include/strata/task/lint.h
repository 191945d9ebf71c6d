// The job behind `strata lint`: finds impossible numbers in a profile, a table or a trace. Nothing
// is run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/lint/lint.h"
#include "strata/task/model.h"

namespace strata {

struct LintRequest {
  std::string file = {};
  std::optional<ModelRequest> model =
      {};  // the model whose costs are joined to tables that have none
  // The device's peaks, where the file does not state them.
  std::optional<double> peak_flops_per_s = {}, peak_bytes_per_s = {};
  std::optional<std::size_t> samples = {};  // runs behind each number, where the file does not say
};

struct LintOutcome {
  lint::Claims claims;
  std::vector<lint::Finding> findings;
};

Result<LintOutcome> run_lint(const LintRequest& request, const Observer& observer = {});

}  // namespace strata
