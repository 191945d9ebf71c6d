// Constants: their elements are in the .bin file.
#pragma once

#include "read/openvino/loading.h"

namespace strata::openvino {

// Small ones are copied into the model, so that shapes can be computed from them. The others are
// not looked at.
const TensorData* constant_of(Loading& loading, const Layer& layer);

}  // namespace strata::openvino
