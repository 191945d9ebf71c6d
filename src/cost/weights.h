// Which stored tensors are parameters.
#pragma once

#include "strata/cost/cost.h"

namespace strata {

// Bit `slot` of OpRule::settings or OpRule::buffers.
inline bool has_bit(std::uint32_t bits, std::size_t slot) {
  return slot < 32 && ((bits >> slot) & 1) != 0;
}

// Stored tensors are parameters if they could be learned: floats, and the narrow
// integers and int32 biases of quantized layers. A Constant node is a parameter
// only where a weight belongs.
bool is_learned(const WeightRef& weight, const Node& node, const NodeCost& cost);

}  // namespace strata
