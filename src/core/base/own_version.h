// The version of strata.
#pragma once

namespace strata {

const char* own_version();  // `0.3.0`

}  // namespace strata
