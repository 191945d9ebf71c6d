// A comparison as a document.
#pragma once

#include <vector>

#include "strata/compare/diff.h"
#include "strata/compare/limits.h"
#include "strata/document/document.h"

namespace strata::compare {

// The first side is what all others are compared with: diffs[i] is of side i + 1.
struct Comparison {
  std::vector<Side> sides;
  std::vector<Diff> diffs;
  std::vector<JudgedLimit> limits = {};

  bool is_within_limits() const;
};

struct DiffTables {
  bool all = false;  // also rows that did not change
  // The content of the rows' cells: numbers for programs and for choosing rows, texts for people.
  bool numbers = true, shown = true;
};

// Totals are a table of their own.
Document diff_document(const Comparison& comparison, const DiffTables& which = {});

}  // namespace strata::compare
