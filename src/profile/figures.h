// The numbers of one row: of a node, a layer, or a group of layers.
#pragma once

#include <vector>

#include "strata/cost/amount.h"
#include "strata/cost/layers.h"

namespace strata {

struct Figures {
  Expr params;
  Expr param_bytes;
  Amount macs;
  Amount flops;
  Amount read_bytes;
  Amount write_bytes;
  Amount picojoules;                       // by the energy model asked for
  Expr activation_bytes;                   // outputs that others read
  Certainty macs_work = Certainty::Exact;  // of macs
  Certainty work = Certainty::Exact;       // of flops, energy
  Certainty bytes = Certainty::Exact;      // of read, write, activation
  // Bit m: the convention does not count Metric m, so its amount means nothing.
  std::uint8_t missing = 0;
};

// Sums; what is unknown is left out and makes the sum a lower bound.
void add_to(Figures& sum, const Figures& more);

}  // namespace strata
