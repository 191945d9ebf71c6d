// Batch norms that an exporter folded into the layer before them.
#pragma once

#include <span>
#include <vector>

#include "compare/match.h"

namespace strata::compare {

// Adds a norm that is on one side only to the group of the layer before it if that layer has the
// same work and output on both sides and, where the norm is missing, a bias more: a parameter for
// each channel of the norm. A layer that has a bias on both sides does not show where its norm
// went.
void join_folded_norms(std::vector<Group>& groups, std::span<const SideRow> before,
                       std::span<const SideRow> after);

}  // namespace strata::compare
