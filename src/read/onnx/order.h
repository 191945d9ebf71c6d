// The order in which nodes can run.
#pragma once

#include "read/onnx/loading.h"

namespace strata::onnx {

// Moves each node behind those that make its inputs and what its bodies capture;
// nodes that are in order already stay. An error if they feed each other in a circle.
void put_in_order(const Loading& loading, Graph& graph);

}  // namespace strata::onnx
