// The order in which nodes can run.
#pragma once

#include "read/onnx/loading.h"

namespace strata::onnx {

// Moves each node after those that make its inputs and what its bodies capture; nodes that are
// already in order stay. An error if they form a cycle.
void put_in_order(const Loading& loading, Graph& graph);

}  // namespace strata::onnx
