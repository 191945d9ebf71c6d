// A TensorProto in a file of its own, as ONNX's test data has them.
#pragma once

#include <string_view>

#include "strata/engine/engine.h"

namespace strata {

Result<HostTensor> read_onnx_tensor(std::string_view bytes, std::string_view label);

}  // namespace strata
