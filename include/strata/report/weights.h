// The content of a weights file, as a document.
#pragma once

#include <cstdint>

#include "strata/document/document.h"
#include "strata/profile/options.h"
#include "strata/read/weights.h"

namespace strata {

struct WeightsView {
  // Tape and Node: each tensor. Leaves: each module that holds tensors. Tree: all modules, with
  // sums. Type: each type of elements. Root: one row. None: the totals only.
  ReportKind report = ReportKind::Tape;
  std::uint32_t depth = 1000;  // of the tree
};

// Returns a document of kind `weights`: the totals, then a table. It says that there are no costs.
Document weights_document(const Weights& weights, const WeightsView& view = {});

}  // namespace strata
