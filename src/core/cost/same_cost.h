// Compares and hashes costs, to store equal ones once.
#pragma once

#include <cstddef>

#include "strata/cost/cost.h"

namespace strata {

std::size_t hash_of(const NodeCost& cost);
bool is_same(const NodeCost& a, const NodeCost& b);

}  // namespace strata
