// How often the bodies of control flow run.
#pragma once

#include "strata/cost/cost.h"

namespace strata {

struct BodyRun {
  const Graph* body;
  Expr times;        // per run of the node; unknown if it cannot be told
  bool alternative;  // one of several bodies of which only one runs (If)
};

// The bodies of a node, in the order of its attributes.
std::vector<BodyRun> body_runs(const Node& node);

// Which of two costs is larger, by FLOPs and then by bytes; formulas are compared with every symbol
// set to 1.
bool is_larger(const NodeCost& a, const NodeCost& b);

}  // namespace strata
