// The results of calling the allowed names of a pickle: values, never code.
#pragma once

#include <string>

#include "read/weights/pickle.h"

namespace strata::weights {

// The value of `function(arguments)`, both being values of the pickle.
Result<PickledValue> rebuilt(Pickle& pickle, ValueId function, ValueId arguments);
// The value that a persistent id stands for: ('storage', type, key, location, elements).
Result<PickledValue> stored(Pickle& pickle, ValueId id);

}  // namespace strata::weights
