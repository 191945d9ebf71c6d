// The elements of a tensor of any type, as numbers.
#pragma once

#include <vector>

#include "strata/engine/engine.h"

namespace strata {

// Strings, complex numbers and packed types of less than a byte give their bytes.
std::vector<double> elements_of(const HostTensor& tensor);

}  // namespace strata
