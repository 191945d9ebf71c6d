// Checks invariants of weights, whatever the bytes were.
#pragma once

#include <cstdlib>
#include <string>

#include "strata/document/render.h"
#include "strata/read/weights.h"
#include "strata/report/weights.h"

namespace strata {

inline void check_weights(const Result<Weights>& read, std::uint64_t file_bytes) {
  if (!read) {
    if (read.error().message.empty()) std::abort();
    return;
  }
  const WeightTotals totals = totals_of(*read);
  if (totals.tensors != read->tensors.size() || totals.shared > totals.tensors) std::abort();
  for (const StoredWeight& weight : read->tensors) {
    if (weight.bytes > file_bytes) std::abort();
    if (!weight.same_as.empty() && weight.elements == 0) std::abort();
  }
  for (const ReportKind report : {ReportKind::Tape, ReportKind::Tree, ReportKind::Type}) {
    const Document document = weights_document(*read, {report, 3});
    if (render_table(document, {}).empty() || render_json(document).empty()) std::abort();
  }
}

}  // namespace strata
