// Whether a precision works, found out with a small network.
#pragma once

#include <string>

namespace strata::ort {

// Throws Failure if it does not, or if the work is done in another precision.
void probe(const std::string& device, const std::string& precision);

}  // namespace strata::ort
