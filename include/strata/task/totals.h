// The job behind `strata stat A B …`: the totals of several models side by side.
#pragma once

#include <string>
#include <vector>

#include "strata/base/observer.h"
#include "strata/compare/totals.h"
#include "strata/task/stat.h"

namespace strata {

// The models themselves, and in the place of a source that is several: the `.onnx` and `.pt2` files
// of a folder, those that a pattern matches, in order. Fails if one of the sources stands for none.
Result<std::vector<Source>> models_at(const std::vector<Source>& given);

struct TotalsRequest {
  std::vector<Source> files = {};
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
