// Costs of a model for the layers of a table that has none.
#pragma once

#include "strata/lint/claims.h"
#include "strata/profile/row.h"

namespace strata::lint {

// Adds the columns FLOPs and bytes moved, and the types and shapes that are not known, to every
// table that has times and lacks FLOPs. A row is joined to the one layer whose path has the last
// words of its name in the same order (`fpn_inner_3` and `backbone.fpn.inner_blocks.3.0`), and the
// same output shape where both have one. The claims get a note of how many were joined.
void join_costs(Claims& claims, const RowList& layers);

}  // namespace strata::lint
