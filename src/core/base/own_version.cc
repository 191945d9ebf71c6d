#include "base/own_version.h"

namespace strata {

const char* own_version() { return STRATA_VERSION; }

}  // namespace strata
