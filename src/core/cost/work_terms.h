// The products that a layer's work is counted by, with the numbers filled in.
#pragma once

#include <string>
#include <vector>

#include "strata/cost/layers.h"

namespace strata {

struct WorkRow {
  std::string op;      // `Conv`
  std::string work;    // `MACs`, `adds`, `muls`, `specials`; `?`: cannot be counted
  std::string text;    // `outputs 802,816 × window 49`, or why it cannot
  std::string amount;  // `10,838,016`
};
std::vector<WorkRow> work_rows(const Costs& costs, const Layers& layers, const Layer& layer);

// `Conv MACs = outputs 802,816 × window 49 = 39,337,984`, with `; ` between several; empty if
// nothing is computed.
std::string formula_text(const Costs& costs, const Layers& layers, const Layer& layer);

}  // namespace strata
