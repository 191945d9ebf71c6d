// Finds out with a small network whether a precision works.
#pragma once

#include <string>

namespace strata::openvino {

// Throws Failure if it does not, or if the work is done in another precision.
void probe(const std::string& device, const std::string& precision);

}  // namespace strata::openvino
