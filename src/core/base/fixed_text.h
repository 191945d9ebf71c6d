// Numbers with a given number of decimals.
#pragma once

#include <string>

namespace strata {

// The digits of printf's `%.2f`, with 0 to 3 decimals. A table has thousands of such numbers, so
// most are written as integers, in a fifth of the time.
std::string fixed_text(double number, int decimals);

}  // namespace strata
