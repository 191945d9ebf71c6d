// Facts about an einsum equation that counting conventions use.
#pragma once

#include "ops/node_view.h"

namespace strata {

struct EinsumFacts {
  Expr indices = Expr::unknown();  // product of the sizes of all indices; unknown with an ellipsis
  bool ellipsis = false;
  // abc,abd→acd or abc,adc→adb, whatever the letters.
  bool batched = false;
};
EinsumFacts einsum_facts(const NodeView& node);

// True if PyTorch turns the axes of the product to get the result: bhwc,wkc→bhwk is a product for
// each w, with the axes w, h, k. The elements of the result are then not in the order of its axes.
// Also true if the equation does not tell.
bool turns_product(const NodeView& node);

}  // namespace strata
