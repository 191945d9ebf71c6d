// The totals of several models side by side.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/compare/side.h"
#include "strata/document/document.h"

namespace strata::compare {

struct ModelTotals {
  std::string file;
  std::string problem = {};  // why it could not be read, one sentence; empty: it could
  FigureSet totals = {};
};

// A row for each model, in their order.
Document totals_document(const std::vector<ModelTotals>& models, const std::string& convention);

}  // namespace strata::compare
