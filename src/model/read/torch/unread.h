// Parameters that no node reads.
#pragma once

#include <span>

#include "read/torch/counting.h"
#include "read/torch/modules.h"

namespace strata::torch {

// Keeps them for whoever counts what the network has to store: a node in the module that owns them
// holds them, and does nothing. Parameters of one module follow each other.
void hold_unread(Counting& counting, Modules& modules, Graph& graph,
                 std::span<const TensorId> parameters);

}  // namespace strata::torch
