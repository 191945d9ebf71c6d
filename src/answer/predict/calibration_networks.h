// Networks whose kernels are timed to calibrate a device: every class of kernel in many sizes, in
// the company that it has in real networks. None of them is a published network.
#pragma once

#include <cstddef>
#include <string_view>

#include "strata/base/result.h"
#include "strata/graph/graph.h"

namespace strata {

std::size_t calibration_networks();  // how many there are
std::string_view calibration_network_name(std::size_t index);
// The model with its shapes, for a batch of 1.
Result<Model> calibration_network(std::size_t index);

}  // namespace strata
