// The place of each layer in its network.
#pragma once

#include <vector>

#include "edit/links.h"
#include "strata/edit/layers.h"

namespace strata {

// Fills in first, last, role and exit_of.
void find_roles(const Model& model, const Links& links, std::vector<QuantLayer>& layers);

}  // namespace strata
