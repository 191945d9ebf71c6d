// The job behind `strata stat A B …`: the totals of several models side by side.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/compare/totals.h"
#include "strata/task/stat.h"

namespace strata {

// Whether a path stands for several files: a folder, or a pattern with * or ?.
bool names_several(const std::string& path);
// The files that paths stand for: the `.onnx` and `.pt2` files of a folder, those that a pattern
// matches, in order. Fails if one of the paths stands for none.
Result<std::vector<std::string>> models_at(const std::vector<std::string>& paths);

struct TotalsRequest {
  std::vector<std::string> files = {};
  StatRequest stat = {};  // how each is read, counted and, if asked for, run; its path is not used
};

struct TotalsOutcome {
  std::vector<compare::ModelTotals> models = {};
  std::uint64_t bytes = 0;  // of all files
  bool interrupted = false;

  bool has_failed() const;  // one of them could not be read
};

// A model that fails is a row with its reason; the others go on.
TotalsOutcome run_totals(const TotalsRequest& request, const Observer& observer = {});

}  // namespace strata
