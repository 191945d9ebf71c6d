// Nodes that run graphs: cond, while_loop, scan, map, and those that only set something around a
// part of the network.
#pragma once

#include "read/pt2/arguments.h"
#include "read/torch/json.h"

namespace strata::pt2 {

class GraphReader;

// Adds the node that `text` states to the graph of `reader`, with its bodies. `json` is of the same
// text, wherever it is.
void add_higher_order(GraphReader& reader, const JsonText& json, const Operator& op,
                      const NodeText& text);

}  // namespace strata::pt2
