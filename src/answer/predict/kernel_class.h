// The class of a node, by what its operator's row says and by the sizes of its weights.
#pragma once

#include "strata/cost/cost.h"
#include "strata/predict/kernels.h"

namespace strata {

KernelClass class_of_node(const Costs& costs, std::uint32_t index, double macs, double flops,
                          double outputs, double inputs);

// A class whose kernels compilers put together with neighbours of the same size.
bool is_fusible(KernelClass kind);

}  // namespace strata
