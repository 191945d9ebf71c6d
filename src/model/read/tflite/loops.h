// The number of times that a WHILE runs.
#pragma once

#include <span>

#include "strata/graph/graph.h"

namespace strata::tflite {

// The iterations of a loop that counts up by a constant to a limit: its condition compares a
// counter with a constant, or combines several such comparisons. `inputs` are the tensors of
// `outer` that the counters begin with. Unknown for any other loop.
Expr iterations_of(const Graph& outer, std::span<const TensorId> inputs, const Graph& condition,
                   const Graph& body);

}  // namespace strata::tflite
