// What conventions ask about the equation of an einsum.
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

}  // namespace strata
