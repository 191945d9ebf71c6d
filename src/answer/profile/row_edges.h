// Which rows of a table read the outputs of which others: the edges of a picture of the network.
#pragma once

#include <span>

#include "strata/profile/analysis.h"
#include "strata/profile/rows.h"

namespace strata {

// For rows of calls, nodes and leaf modules, in whatever order they stand. Values pass through
// nodes that have no row of their own, such as views. Empty for other reports, and where a network
// has so many values that pass through that the table would be out of proportion to it.
RowEdges row_edges(const Analysis& analysis, const Rows& rows);
// For rows that are made on demand; `listed` names the layer or node of each.
RowEdges row_edges(const Analysis& analysis, ReportKind report,
                   std::span<const std::uint32_t> listed);

}  // namespace strata
