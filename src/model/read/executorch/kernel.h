// The operators of kernels, which write into tensors that they are given.
#pragma once

#include <string_view>

#include "read/executorch/loading.h"
#include "read/torch/operands.h"

namespace strata::executorch {

// The operator of ATen that computes the same and makes its outputs: `aten::convolution` with the
// overload `out` is aten's `convolution`. Names of other operators stay as they are.
torch::Operator operator_of_kernel(Loading& loading, std::string_view name,
                                   std::string_view overload);

}  // namespace strata::executorch
